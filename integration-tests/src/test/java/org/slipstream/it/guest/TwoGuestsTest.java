package org.slipstream.it.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A guest may not come up: then both are booted again. With a script that passes for QEMU. */
@Timeout(120)
class TwoGuestsTest {
  /** The first boot of guest FAILS goes wrong; the others do what guests do. */
  private static final String EMULATOR =
      """
      #!/bin/bash
      for word in "$@"; do
        case $word in
          local,path=*mount_tag=job*) job=${word#local,path=} job=${job%%,*} ;;
          *\\ id=*) id=${word#* id=} id=${id%% *} ;;
          stream,server=on*) cable=${word##*addr.path=} cable=${cable%%,*} ;;
        esac
      done
      echo $$ >"$job/pid$id"
      echo "$id" >>"$job/boots"
      [ -z "$cable" ] || : >"$cable"
      if [ "$id" = FAILS ] && [ "$(grep -c "^$id$" "$job/boots")" = 1 ]; then
        HOW
      fi
      trap 'exit 1' TERM
      echo "guest: up after 1 s"
      if [ "$id" = 8 ]; then
        until [ -e "$job/done" ]; do sleep 0.1; done
      else
        touch "$job/done"
      fi
      echo 0 >"$job/status$id"
      """;

  /** It gives up at once, or hangs before its first word and does not hear what it is told. */
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "none, exit",
        "4, echo panic; exit 1",
        "8, echo panic; exit 1",
        "4, trap '' TERM; while :; do sleep 1; done",
        "8, trap '' TERM; while :; do sleep 1; done"
      })
  void aGuestThatDidNotComeUpIsBootedAgain(
      String fails, String how, @TempDir Path job, @TempDir Path cache) throws Exception {
    Files.createFile(cache.resolve("fingerprint"));
    Path emulator = cache.resolve("emulator");
    Files.writeString(emulator, EMULATOR.replace("FAILS", fails).replace("HOW", how));
    Files.setPosixFilePermissions(emulator, PosixFilePermissions.fromString("rwxr-xr-x"));
    TwoGuests.Outcome outcome =
        new TwoGuests(job, 900).withEmulator(emulator, cache).run(8, 4, "exit 0\n");
    assertThat(outcome.code()).as(outcome.console()).isZero();
    assertThat(outcome.otherCode()).as(outcome.console()).isZero();
    assertThat(Files.readAllLines(job.resolve("boots"))).hasSize(fails.equals("none") ? 2 : 4);
  }
}
