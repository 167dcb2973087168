package org.slipstream.it.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.it.memory.RdmaMemoryGuestsRow;
import org.slipstream.it.process.RdmaGuestsRow;
import org.slipstream.testkit.Alone;

/**
 * Two hosts with two Soft-RoCE devices each, over two Ethernet cables between them; all but the
 * tests of two ports use the first one. Guest 8 runs an echo server, and takes its link down for a
 * while, or loses the packets of RoCE and no others, when it is told so, and {@code slipstream
 * fabric serve}, and an owner of memory; guest 4 the tests of {@link RdmaGuestsRow} and {@link
 * RdmaMemoryGuestsRow}, each of which is a test here; it may lose packets, too.
 */
@Alone(
    "beside three busy JVMs RDMA did not come back after a minute without a link, twice of two times")
class RdmaGuestsIT {
  private static final int BOOT_SECONDS = 900;

  /** The row, or methods of it: {@code CLASS#METHOD,CLASS#METHOD}. */
  private static final String WANTED =
      System.getProperty(
          "slipstream.guest.rows",
          RdmaGuestsRow.class.getName() + "," + RdmaMemoryGuestsRow.class.getName());

  private static final String ECHO = "echo \"2 serve l echo\"";

  /** For the test of addresses that are on no adapter. */
  private static final String MORE =
      "; echo '3 listen m "
          + RdmaGuestsRow.OTHER
          + "'; until grep -q '@3 ok' /job/server.log; do sleep 0.5; done; echo '4 serve m echo'";

  private static final String SCRIPT =
      """
      modprobe virtio_net
      for i in $(seq 100); do [ -e /sys/class/net/eth0 ] && break; sleep 0.1; done
      rdma-device eth0 10.78.0.$GUEST_ID/24 || exit 1
      for i in $(seq 100); do [ -e /sys/class/net/eth1 ] && break; sleep 0.1; done
      ip link set eth1 mtu 4500
      ip addr add 10.79.0.$GUEST_ID/24 dev eth1
      ip link set eth1 up
      rdma link add rxe1 type rxe netdev eth1
      # Addresses that no device has, as of another interface than the adapter's.
      other=$((12 - GUEST_ID))
      ip addr add 10.99.0.$GUEST_ID/32 dev lo
      lead() { ip route replace 10.99.0.$other/32 via 10.78.0.$other src 10.99.0.$GUEST_ID; }
      lead
      printf '10.99.0.0/24 10.78.0.0/24\\n' >/tmp/hosts
      (umask 077; echo a key of the tests, of more than 16 bytes >/tmp/key)
      if [ $GUEST_ID = 8 ]; then
        while sleep 0.5; do
          if [ -e /job/cut ]; then
            ip link set eth0 down
            sleep $(cat /job/cut) # the other device gives up after four seconds
            ip link set eth0 up
            lead # the route went with the link
            rm /job/cut
          fi
          if [ -e /job/unplug ]; then
            rdma link delete rxe0
            touch /job/unplugged
            while [ -e /job/unplug ]; do sleep 0.2; done
            rdma link add rxe0 type rxe netdev eth0
            rm /job/unplugged
          fi
        done &
        { until grep -q "@1 ok" /job/server.log; do sleep 1; done
          FABRIC >/job/fabric.log 2>&1
        } &
        { until [ -e /job/memory ]; do sleep 1; done # when its row begins
          while true; do OWNER >>/job/memory.log 2>&1; done # it is killed
        } &
      fi
      lost() { [ -e /job/silence ] || { [ $GUEST_ID = 4 ] && [ -e /job/deaf ]; }; }
      while sleep 0.5; do
        if lost; then
          # What arrives, as a network loses it: Soft-RoCE would try for ever what it can not send.
          for module in sch_ingress cls_u32 act_gact; do modprobe $module; done
          tc qdisc add dev eth0 clsact
          tc filter add dev eth0 ingress protocol ip u32 \\
            match ip protocol 17 0xff match ip dport 4791 0xffff action drop
          touch /job/silent$GUEST_ID
          while lost; do sleep 0.2; done
          tc -s filter show dev eth0 ingress | grep Sent
          tc qdisc del dev eth0 clsact
          rm /job/silent$GUEST_ID
        fi
      done &
      """
          + TwoGuests.ROLES;

  @TestFactory
  @Timeout(value = BOOT_SECONDS + 120, unit = TimeUnit.SECONDS)
  Stream<DynamicTest> softRoce(@TempDir Path job) throws Exception {
    Guest.build();
    List<String> rows = List.of(WANTED.split(",", -1));
    List<String> client =
        Guest.command(
            List.of(
                "-Dslipstream.jar=" + System.getProperty("slipstream.jar"),
                "-Dslipstream.test.patience=5"),
            rows);
    TwoGuests.Outcome outcome =
        new TwoGuests(job, BOOT_SECONDS)
            .withCables(2)
            .run(
                8,
                4,
                SCRIPT
                    .replace("FABRIC", String.join(" ", RdmaGuestsRow.fabricServer()))
                    .replace("OWNER", owner())
                    .replace(ECHO, ECHO + MORE)
                    .replace("SERVER", String.join(" ", RdmaGuestsRow.server()))
                    .replace("CLIENT", String.join(" ", client)));
    String report =
        outcome.console()
            + "\nserver:\n"
            + text(job, "server.log")
            + "\nfabric serve:\n"
            + text(job, "fabric.log")
            + "\nowner of memory:\n"
            + text(job, "memory.log")
            + Crash.shortened(text(job, "output"));
    Files.writeString(Path.of("target", "rdma-guests.txt"), report);
    return Stream.concat(
        Stream.of(
            dynamicTest(
                "both guests ran to their ends",
                () -> {
                  assertThat(outcome.code()).as(report).isZero();
                  assertThat(outcome.otherCode()).as(report).isZero();
                })),
        Guest.results(rows, job, report));
  }

  /** A shell would take the name of a nested class for a variable. */
  private static String owner() {
    return String.join(" ", RdmaMemoryGuestsRow.owner()).replace("$", "\\$");
  }

  private static String text(Path job, String name) throws Exception {
    Path file = job.resolve(name);
    return Files.exists(file) ? Files.readString(file) : "(no " + name + ")";
  }
}
