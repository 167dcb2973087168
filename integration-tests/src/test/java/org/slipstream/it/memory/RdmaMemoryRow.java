package org.slipstream.it.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.slipstream.memory.Domain;
import org.slipstream.memory.Grant;
import org.slipstream.memory.MappingException;
import org.slipstream.memory.Owner;
import org.slipstream.memory.Queue;
import org.slipstream.memory.Region;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Right;
import org.slipstream.memory.Status;
import org.slipstream.testkit.Patience;

/**
 * One-sided memory over queue pairs: between hosts, and what only devices do. Runs inside the
 * guest.
 */
public class RdmaMemoryRow extends HostsMemoryContract {
  private static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");
  private static final String TRANSPORTS = "slipstream.transports";

  /** Of a line of {@code rdma resource}: kinds of objects, and how many there are. */
  private static final Pattern OBJECTS = Pattern.compile("\\b(pd|cq|qp|cm_id|mr) (\\d+)");

  /** By {@code rdma_cm} and a device. */
  public RdmaMemoryRow() {
    super("rdma");
  }

  @Override
  String host() {
    return HOST;
  }

  @Override
  int mappings() {
    return 1_000;
  }

  /** And what the devices have, of all processes: keys are memory regions. */
  @Override
  Map<String, Long> held() throws IOException {
    Map<String, Long> held = super.held();
    Process rdma =
        new ProcessBuilder("rdma", "resource", "show").redirectErrorStream(true).start();
    String text = new String(rdma.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    for (Matcher m = OBJECTS.matcher(text); m.find(); ) {
      held.merge(m.group(1), Long.valueOf(m.group(2)), Long::sum);
    }
    assertThat(held).as(text).containsKeys("mr", "qp");
    return held;
  }

  /** Devices are atomic among themselves; of Soft-RoCE and most others, processors know nothing. */
  @Override
  protected boolean isAtomicForTheOwner() {
    return false;
  }

  /** A session that there is outlives what led to it, so a closed address still leads to it. */
  @Override
  @Test
  public void anOwnerIsFoundByAnAddressThatItHasAnnounced() throws Exception {
    owner.export("r", SIZE, ALL);
    InetSocketAddress address = new InetSocketAddress(HOST, port());
    assertThat(reason(Owner.at(address))).isEqualTo(MappingException.Reason.NO_OWNER);
    Closeable announced = owner.announce(address);
    assertThat(client.map(Owner.at(address), "r").byteSize()).isEqualTo(SIZE);
    announced.close();
    Domain late = domain();
    Patience.await()
        .until(() -> reason(late, Owner.at(address)) == MappingException.Reason.NO_OWNER);
  }

  private MappingException.Reason reason(Owner at) throws Exception {
    return reason(client, at);
  }

  private static MappingException.Reason reason(Domain of, Owner at) throws Exception {
    try (RemoteRegion mapped = of.map(at, "r")) {
      throw new AssertionError("mapped " + mapped.name());
    } catch (MappingException e) {
      return e.reason();
    }
  }

  /** The device refuses what the client's library has not heard of yet, and nothing else ends. */
  @Test
  void aRevokedKeyIsRefusedByTheDeviceAndHarmsNoOtherRegion() throws Exception {
    Region region = owner.export("r", SIZE, Set.of());
    owner.export("other", SIZE, ALL);
    RemoteRegion other = client.map(owner.owner(), "other");
    long added = 0;
    for (int round = 0; round < 5; round++) {
      Grant grant = region.grant(ALL);
      RemoteRegion mapped = client.map(grant);
      MemorySegment word = arena.allocate(8);
      assertThat(outcome(queue.read(mapped, 0, word, 1))).isEqualTo(Status.OK);
      assertThat(region.revoke(grant, Duration.ZERO)).as("without the client").isTrue();
      boolean taken = true;
      for (int i = 0; i < 5; i++) {
        taken &= queue.write(mapped, 0, arena.allocate(8).fill((byte) 1), 10);
        taken &= queue.fetchAdd(other, 0, 1, word, 11);
        taken &= queue.read(other, 8, arena.allocate(64), 11);
        added++;
      }
      assertThat(taken).isTrue();
      queue.submit();
      assertEnd(15);
      assertThat(region.memory().get(ValueLayout.JAVA_BYTE, 0)).isZero();
      assertThat(mapped.status()).isEqualTo(Status.REVOKED);
      assertThat(other.status()).isEqualTo(Status.OK);
    }
    MemorySegment sum = arena.allocate(8);
    assertThat(outcome(queue.read(other, 0, sum, 1))).isEqualTo(Status.OK);
    assertThat(sum.get(ValueLayout.JAVA_LONG, 0)).as("each was carried out once").isEqualTo(added);
  }

  /** Tickets 10 are revoked, all others are done. */
  private void assertEnd(int operations) {
    long[] tickets = new long[4];
    Status[] statuses = new Status[4];
    long end = System.nanoTime() + Patience.DEADLINE.toNanos();
    for (int ended = 0; ended < operations; ) {
      assertThat(System.nanoTime() - end).as("the operations end").isNegative();
      int n = queue.poll(tickets, statuses);
      for (int i = 0; i < n; i++) {
        assertThat(statuses[i]).isEqualTo(tickets[i] == 10 ? Status.REVOKED : Status.OK);
      }
      ended += n;
    }
  }

  /** Another process that exports a region, until it is killed. */
  public static final class OwnerProcess {
    private OwnerProcess() {}

    /**
     * Exports.
     *
     * @param args directory and port
     */
    public static void main(String[] args) throws Exception {
      try (Domain domain = Domain.open(Path.of(args[0]))) {
        domain.export("killed", SIZE, ALL);
        domain.announce(new InetSocketAddress(HOST, Integer.parseInt(args[1])));
        System.out.println("ready");
        Thread.sleep(Patience.LONG);
      }
    }
  }

  @Test
  void aKilledOwnerIsLostToAQueueAtWork() throws Exception {
    int port = port();
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx64m",
                "--enable-native-access=ALL-UNNAMED",
                "-Dslipstream.test.address=" + HOST,
                "-D" + TRANSPORTS + "=rdma",
                "-D" + KEY + "=" + System.getProperty(KEY),
                "-cp",
                System.getProperty("java.class.path"),
                OwnerProcess.class.getName(),
                directory.path().resolve("r").toString(),
                Integer.toString(port))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(child.inputReader().readLine()).isEqualTo("ready");
      RemoteRegion mapped = mapOf(Owner.at(new InetSocketAddress(HOST, port)), "killed");
      MemorySegment word = arena.allocate(8);
      for (int i = 0; i < 100; i++) {
        assertThat(outcome(queue.fetchAdd(mapped, 0, 1, word, i))).isEqualTo(Status.OK);
      }
      child.destroyForcibly().waitFor();
      Patience.await().until(() -> outcome(queue.fetchAdd(mapped, 0, 1, word, 1)) == Status.LOST);
      assertThat(mapped.status()).isEqualTo(Status.LOST);
      assertThat(queue.flush(mapped)).isEqualTo(Status.LOST);
    } finally {
      child.destroyForcibly();
    }
  }

  /** A process that has just started on an emulated machine may not answer at once. */
  private RemoteRegion mapOf(Owner of, String name) throws Exception {
    for (int tries = 0; ; tries++) {
      try {
        return client.map(of, name);
      } catch (MappingException e) {
        if (tries == 5 || e.reason() != MappingException.Reason.NO_ANSWER) {
          throw e;
        }
      }
    }
  }

  @Test
  void aClosedRegionIsReachedNoMore() throws Exception {
    Region region = owner.export("r", SIZE, ALL);
    RemoteRegion mapped = client.map(owner.owner(), "r");
    assertThat(outcome(queue.read(mapped, 0, arena.allocate(8), 1))).isEqualTo(Status.OK);
    region.close();
    assertThat(outcome(queue.read(mapped, 0, arena.allocate(8), 1))).isEqualTo(Status.REVOKED);
  }

  @Test
  void aQueueThatIsClosedGivesItsConnectionsBack() throws Exception {
    owner.export("r", SIZE, Set.of(Right.READ));
    RemoteRegion mapped = client.map(owner.owner(), "r");
    for (int i = 0; i < 10; i++) {
      try (Queue its = client.queue(1)) {
        assertThat(outcome(its, its.read(mapped, 0, arena.allocate(8), 1))).isEqualTo(Status.OK);
      }
    }
    assertThat(outcome(queue.read(mapped, 0, arena.allocate(8), 1))).isEqualTo(Status.OK);
  }
}
