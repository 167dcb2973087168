package org.slipstream.it.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The hardware kit between two virtual machines with Soft-RoCE, by hand: guest 8 does what guest 4
 * says. Not part of verify, because it says little that other tests do not and takes minutes:
 * {@code -Dit.test=FabricKitGuests}.
 */
class FabricKitGuests {
  private static final int BOOT_SECONDS = 1200;

  private static final String SCRIPT =
      """
      modprobe virtio_net
      for i in $(seq 100); do [ -e /sys/class/net/eth0 ] && break; sleep 0.1; done
      rdma-device eth0 10.78.0.$GUEST_ID/24 || exit 1
      export JAVA_HOME=$java
      if [ $GUEST_ID = 8 ]; then
        until grep -q 'fabric-kit-host listen' /job/output; do sleep 1; done
        mkdir /tmp/kit
        tar -C /tmp/kit -xzf /job/fabric-kit-files.tar.gz
        $(sed -n 's/^fabric-kit:  *3\\. //p' /job/output) >/job/server.log 2>&1 &
        until [ -e /job/done ]; do sleep 1; done
        exit 0
      fi
      trap 'touch /job/done' EXIT
      cd /job
      export SLIPSTREAM_KIT_FLAGS='-Dslipstream.test.patience=5 -XX:TieredStopAtLevel=1'
      $script 10.78.0.8 --by-hand 18601 --there 10.78.0.8 --here 10.78.0.4 --kit $kit --directory /tmp/kit \
        --only fabric --only traffic --minutes 0 --seconds 0.5 --set rdma.slow=stay --link eth0 \
        --output /job/kit.tar.gz >/job/output 2>&1
      code=$?
      tar -xzf /job/kit.tar.gz
      exit $code
      """;

  @Test
  @Timeout(value = BOOT_SECONDS + 120, unit = TimeUnit.SECONDS)
  void byHandBetweenTwoHosts(@TempDir Path job) throws Exception {
    Guest.build();
    Path kit = Path.of("target", "fabric-kit").toAbsolutePath();
    FabricKitFiles.write(kit);
    Path script = Path.of("..", "config", "fabric-kit").toAbsolutePath().normalize();
    TwoGuests.Outcome outcome =
        new TwoGuests(job, BOOT_SECONDS)
            .run(
                8,
                4,
                SCRIPT
                    .replace("$java", Guest.JAVA.toString())
                    .replace("$kit", kit.toString())
                    .replace("$script", script.toString()));
    StringBuilder report = new StringBuilder(outcome.console());
    Path results = job.resolve("fabric-kit-10.78.0.8");
    for (Path file :
        new Path[] {
          job.resolve("output"),
          job.resolve("server.log"),
          results.resolve("SUMMARY.txt"),
          results.resolve("fabric-from-here.txt"),
          results.resolve("traffic-rdma.txt")
        }) {
      report.append("\n== ").append(file.getFileName()).append('\n');
      report.append(Files.exists(file) ? Files.readString(file) : "(none)");
    }
    Files.writeString(Path.of("target", "fabric-kit-guests.txt"), report);
    assertThat(outcome.code()).as("%s", report).isZero();
    assertThat(results.resolve("SUMMARY.txt"))
        .content()
        .containsPattern("(?m)^transports +rdma$")
        .containsPattern("(?m)^traffic-rdma +passed in ");
    assertThat(results.resolve("traffic-rdma.txt"))
        .content()
        .contains("fabric-kit: 4 passed, 0 skipped, 0 failed");
    assertThat(results.resolve("fabric-from-here.txt"))
        .content()
        .contains("\"command\":\"ib_write_lat -R -s 64 10.78.0.8\",\"passed\":true");
  }
}
