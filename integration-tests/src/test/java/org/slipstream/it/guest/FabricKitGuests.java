package org.slipstream.it.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The hardware kit between two guests, as {@code docs/OPERATIONS.md} tells an operator to use it
 * without {@code ssh}: guest 8 unpacks what the kit has packed and listens with the token that the
 * kit prints, guest 4 runs the kit. Not part of verify, because emulated processors take ten
 * minutes for each: {@code -Dit.test=FabricKitGuests}. What the kit said is then in {@code
 * target/fabric-kit-*.txt}, its archive beside that.
 */
class FabricKitGuests {
  private static final int BOOT_SECONDS = 2400;
  private static final int MEMORY_MB = 2048;
  private static final long WINDOW_BYTES = 64 << 20;

  private static final Path SCRIPT =
      Path.of("..", "config", "fabric-kit").toAbsolutePath().normalize();

  /**
   * A short one: a group of the suite, a second of each measurement and of the soak. Not the step
   * {@code device}, whose rows need one host only: {@link RdmaGuestIT} runs them.
   */
  private static final String SHORT =
      "--only facts --only fabric --only suite --only traffic --minutes 0 --seconds 1"
          + " --group Readiness --link eth0";

  /** An emulator is slow, and its sessions would fall back for that. */
  private static final String RDMA = "--set key=/tmp/key --set rdma.slow=stay";

  private static final String ROLES =
      """
      (umask 077; echo a key of the tests, of more than 16 bytes >/tmp/key)
      export JAVA_HOME=JDK
      if [ $GUEST_ID = 8 ]; then
        token() { sed -n 's/.*fabric-kit-host listen 18601 //p' /job/output 2>/dev/null; }
        until [ -n "$(token)" ]; do sleep 0.5; done
        mkdir /tmp/kit
        tar -C /tmp/kit -xzf /job/fabric-kit-files.tar.gz
        /tmp/kit/fabric-kit-host listen 18601 $(token) >/job/server.log 2>&1 &
        until [ -e /job/done ]; do sleep 0.5; done
        exit 0
      fi
      trap 'touch /job/done' EXIT
      cd /job
      KIT >/job/output 2>&1
      """;

  private static final String ROCE =
      """
      modprobe virtio_net
      for i in $(seq 100); do [ -e /sys/class/net/eth0 ] && break; sleep 0.1; done
      rdma-device eth0 10.78.0.$GUEST_ID/24 || exit 1
      """;

  private static final String IWARP =
      TwoGuests.NETWORK
          + """
          ulimit -l unlimited
          for module in ib_uverbs rdma_cm rdma_ucm crc32c_generic libcrc32c; do modprobe $module; done
          insmod /job/siw.ko || exit 1
          rdma link add siw0 type siw netdev eth0 || exit 1
          for i in $(seq 100); do [ -e /dev/infiniband/uverbs0 ] && break; sleep 0.1; done
          """;

  @TempDir Path job;

  @Test
  @Timeout(value = BOOT_SECONDS + 300, unit = TimeUnit.SECONDS)
  void softRoce() throws Exception {
    Guest.build();
    run("roce", new TwoGuests(job, BOOT_SECONDS), ROCE, "rdma", RDMA);
  }

  @Test
  @Timeout(value = BOOT_SECONDS + 300, unit = TimeUnit.SECONDS)
  void softIwarp() throws Exception {
    Files.copy(Guest.buildSoftIwarp(), job.resolve("siw.ko"));
    String settings = RDMA + " --set rdma.iwarp=true";
    run("iwarp", new TwoGuests(job, BOOT_SECONDS), IWARP, "rdma", settings);
  }

  @Test
  @Timeout(value = BOOT_SECONDS + 300, unit = TimeUnit.SECONDS)
  void ivshmem() throws Exception {
    Guest.build();
    run(
        "ivshmem",
        new TwoGuests(job, BOOT_SECONDS).withWindow(WINDOW_BYTES),
        TwoGuests.NETWORK + NtbGuestsIT.WINDOW,
        "ntb",
        "--set ntb.hosts=/tmp/hosts --set ntb.key=trusted");
  }

  private void run(String name, TwoGuests guests, String devices, String transport, String settings)
      throws Exception {
    Path kit = Path.of("target", "fabric-kit").toAbsolutePath();
    FabricKitFiles.write(kit);
    String command =
        SCRIPT
            + " 10.78.0.8 --there 10.78.0.8 --here 10.78.0.4 --by-hand 18601 --kit "
            + kit
            + " --directory /tmp/kit --output /job/kit.tar.gz --transport "
            + transport
            + " "
            + SHORT
            + " "
            + settings;
    TwoGuests.Outcome outcome =
        guests
            .withMemory(MEMORY_MB)
            .run(
                8,
                4,
                devices + ROLES.replace("JDK", Guest.JAVA.toString()).replace("KIT", command));
    String said = Guest.output(job);
    Files.writeString(Path.of("target", "fabric-kit-" + name + ".txt"), outcome.console() + said);
    Path archive = job.resolve("kit.tar.gz");
    assertThat(archive).as(said).exists();
    Path kept = Path.of("target", "fabric-kit-" + name + ".tar.gz");
    Files.deleteIfExists(kept);
    Files.copy(archive, kept);
    assertThat(said)
        .containsPattern("(?m)^fabric-from-here +passed in ")
        .containsPattern("(?m)^fabric-from-there +passed in ")
        .containsPattern("(?m)^suite-" + transport + " +passed in ")
        .containsPattern("(?m)^traffic-" + transport + " +passed in ")
        .doesNotContain("FAILED");
    assertThat(outcome.code()).as(said).isZero();
    assertThat(outcome.otherCode()).as(said).isZero();
  }
}
