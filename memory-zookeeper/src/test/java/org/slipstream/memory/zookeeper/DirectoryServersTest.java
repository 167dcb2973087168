package org.slipstream.memory.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.memory.Domain;
import org.slipstream.memory.MappingException;
import org.slipstream.memory.MemoryServer;
import org.slipstream.memory.MemoryServers;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Right;
import org.slipstream.memory.Status;
import org.slipstream.memory.StripedRegion;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.TestDirectory;

/**
 * Memory servers and their clients that find each other in ZooKeeper. Each has a domain and a
 * session of its own, as a process has; that they share this host, and its memory, they do not ask.
 */
class DirectoryServersTest {
  private static final Set<Right> ALL = EnumSet.allOf(Right.class);
  private static final int CHUNK = 8192;

  private final TestZooKeeper zooKeeper = new TestZooKeeper();
  private final List<Domain> domains = new ArrayList<>();
  private final List<MemoryServer> servers = new ArrayList<>();
  private final List<TestZooKeeper.Member> ofServers = new ArrayList<>();
  private TestDirectory directory;
  private TestZooKeeper.Member holder;
  private MemoryServers memory;
  private TestZooKeeper.Member second;
  private MemoryServers other;

  @BeforeEach
  void twoServersAndTwoClients() throws Exception {
    directory = TestDirectory.create();
    for (int i = 0; i < 2; i++) {
      Domain domain = domain();
      domain.announce(new InetSocketAddress(InetAddress.getLoopbackAddress(), 20_001 + i));
      TestZooKeeper.Member process = zooKeeper.process();
      ofServers.add(process);
      servers.add(MemoryServer.open(domain, process.directory(), 4 * CHUNK, CHUNK, chunks -> {}));
    }
    holder = zooKeeper.process();
    second = zooKeeper.process();
    memory = new MemoryServers(domain(), holder.directory(), 0);
    other = new MemoryServers(domain(), second.directory(), 0);
  }

  private Domain domain() throws IOException {
    Domain domain = Domain.open(directory.path().resolve("r"));
    domains.add(domain);
    return domain;
  }

  @AfterEach
  void closeAll() throws Exception {
    memory.close();
    other.close();
    servers.forEach(MemoryServer::close);
    domains.forEach(Domain::close);
    zooKeeper.close();
    directory.close();
  }

  private int free() {
    return servers.stream().mapToInt(MemoryServer::freeChunks).sum();
  }

  private void awaitFree(int chunks) {
    Patience.await().until(() -> free() == chunks);
  }

  private static void awaitStatus(StripedRegion region, Status status) {
    Patience.await().until(() -> region.status() == status);
  }

  private static MemorySegment memoryOf(RemoteRegion part) {
    return part.direct().orElseThrow();
  }

  private static void fill(StripedRegion region, int value) {
    region.parts().forEach(part -> memoryOf(part).fill((byte) value));
  }

  private static boolean isAll(StripedRegion region, int value) {
    byte[] bytes = new byte[CHUNK];
    java.util.Arrays.fill(bytes, (byte) value);
    return region.parts().stream()
        .allMatch(part -> memoryOf(part).mismatch(MemorySegment.ofArray(bytes)) == -1);
  }

  @Test
  void aReservationIsPlacedOnAllServersAndMappedByItsName() throws Exception {
    StripedRegion region = memory.reserve("a table/ä", 6 * CHUNK, Set.of(Right.READ));
    assertThat(servers).allMatch(server -> server.freeChunks() == 1);
    fill(region, 7);
    StripedRegion mapped = other.map("a table/ä");
    assertThat(mapped.byteSize()).isEqualTo(6 * CHUNK);
    assertThat(mapped.rights()).containsExactly(Right.READ);
    assertThat(isAll(mapped, 7)).isTrue();
    assertThatThrownBy(() -> other.reserve("a table/ä", CHUNK, ALL))
        .hasMessage("'a table/ä' is reserved already; close that first");
    region.close();
    awaitStatus(mapped, Status.REVOKED);
    awaitFree(8);
    assertReason("a table/ä", MappingException.Reason.NO_REGION);
    StripedRegion again = other.reserve("a table/ä", 8 * CHUNK, ALL);
    assertThat(isAll(again, 0)).isTrue();
  }

  private void assertReason(String name, MappingException.Reason reason) {
    assertThatThrownBy(() -> other.map(name))
        .isInstanceOfSatisfying(
            MappingException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @Test
  void withoutANameNoOtherProcessKnowsIt() throws Exception {
    StripedRegion region = memory.reserve(3 * CHUNK);
    assertThat(holder.directory().list("names")).isEmpty();
    assertThat(region.rights()).isEqualTo(ALL);
    assertThat(free()).isEqualTo(5);
    region.close();
    awaitFree(8);
  }

  @Test
  void whatIsReservedForOneProcessIsNotMappedByItsName() throws Exception {
    memory.reserve("mine", CHUNK, Set.of());
    assertReason("mine", MappingException.Reason.NO_REGION);
    assertReason("none", MappingException.Reason.NO_REGION);
  }

  @Test
  void ofManyThatWantANameOneGetsIt() throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(4);
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Callable<StripedRegion>> wishes = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        MemoryServers its = i % 2 == 0 ? memory : other;
        wishes.add(() -> {
          barrier.await();
          return its.reserve("n", 2 * CHUNK, ALL);
        });
      }
      int got = 0;
      for (Future<StripedRegion> each : threads.invokeAll(wishes)) {
        try {
          assertThat(each.get().status()).isEqualTo(Status.OK);
          got++;
        } catch (ExecutionException e) {
          assertThat(e.getCause()).hasMessageContaining("reserved already");
        }
      }
      assertThat(got).isEqualTo(1);
    }
    awaitFree(6);
  }

  @Test
  void whatCanNotBeTakenLeavesNoName() throws Exception {
    assertThatThrownBy(() -> memory.reserve("n", 9 * CHUNK, ALL))
        .hasMessageContaining("have 8 chunks");
    assertThatThrownBy(() -> memory.reserve("n", 0, ALL))
        .isInstanceOf(IllegalArgumentException.class);
    Patience.await().until(() -> second.directory().list("names").isEmpty());
    assertThat(other.reserve("n", 8 * CHUNK, ALL).status()).isEqualTo(Status.OK);
  }

  @Test
  void aHolderWhoseSessionEndsHoldsNothing() throws Exception {
    StripedRegion region = memory.reserve("n", 6 * CHUNK, ALL);
    StripedRegion mapped = other.map("n");
    fill(region, 1);
    holder.directory().close(); // the process is killed, and ZooKeeper notices
    awaitStatus(mapped, Status.REVOKED);
    awaitStatus(region, Status.REVOKED);
    awaitFree(8);
    StripedRegion again = other.reserve("n", 8 * CHUNK, ALL);
    assertThat(isAll(again, 0)).isTrue();
  }

  /** ZooKeeper took it for dead; it is not, and begins anew. */
  @Test
  void aHolderWhoseSessionExpiresLosesItsLeasesAndReservesAnew() throws Exception {
    StripedRegion region = memory.reserve("n", 6 * CHUNK, ALL);
    holder.expire();
    awaitStatus(region, Status.REVOKED);
    awaitFree(8);
    StripedRegion again = memory.reserve("n", 8 * CHUNK, ALL);
    assertThat(other.map("n").status()).isEqualTo(Status.OK);
    region.close(); // ends nothing of the new reservation
    assertThat(again.status()).isEqualTo(Status.OK);
    assertThat(other.map("n").status()).isEqualTo(Status.OK);
  }

  @Test
  void aServerWhoseSessionExpiresIsListedAnewAndItsLeasesGoOn() throws Exception {
    StripedRegion region = memory.reserve("n", 6 * CHUNK, ALL);
    List<String> before = holder.directory().list("servers");
    ofServers.getFirst().expire();
    Patience.await()
        .ignoreExceptions()
        .until(() -> holder.directory().list("servers").equals(before));
    assertThat(region.status()).isEqualTo(Status.OK);
    assertThat(other.map("n").status()).isEqualTo(Status.OK);
    holder.directory().close();
    awaitStatus(region, Status.REVOKED);
    awaitFree(8);
  }

  @Test
  void aServerThatEndsIsLeftOutAndTheOthersGoOn() throws Exception {
    StripedRegion region = memory.reserve(4 * CHUNK);
    servers.getFirst().close();
    domains.getFirst().close();
    Patience.await()
        .until(() -> region.parts().stream().filter(p -> p.status() == Status.OK).count() == 2);
    StripedRegion small = other.reserve("n", 2 * CHUNK, ALL);
    assertThat(small.status()).isEqualTo(Status.OK);
    assertThatThrownBy(() -> other.reserve(3 * CHUNK)).isInstanceOf(IOException.class);
    ofServers.getLast().directory().close();
    Patience.await().until(() -> holder.directory().list("servers").isEmpty());
    assertThatThrownBy(() -> memory.reserve(CHUNK))
        .hasMessageContaining("The directory lists no memory server");
  }

  /** What is mapped needs no directory. */
  @Test
  void whileZooKeeperIsAwayMappedMemoryGoesOnAndNothingIsReserved() throws Exception {
    StripedRegion region = memory.reserve("n", 2 * CHUNK, ALL);
    StripedRegion mapped = other.map("n");
    zooKeeper.stop();
    memoryOf(region.parts().getFirst()).set(ValueLayout.JAVA_LONG, 0, 42);
    assertThat(memoryOf(mapped.parts().getFirst()).get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
    assertThatThrownBy(() -> memory.reserve(CHUNK))
        .isInstanceOf(IOException.class)
        .hasMessage("ZooKeeper at " + zooKeeper.hosts() + " does not answer");
    assertThatThrownBy(() -> other.map("n")).hasMessageContaining("does not answer");
    assertThat(region.status()).isEqualTo(Status.OK);
    zooKeeper.restart();
    Patience.await().ignoreExceptions().until(() -> other.reserve(CHUNK).status() == Status.OK);
    assertThat(region.status()).isEqualTo(Status.OK);
    assertThat(mapped.status()).isEqualTo(Status.OK);
    assertThat(isAll(region, 0)).as("what was written stays").isFalse();
  }

  @Test
  void aServerNeedsAnAddressThatOthersReach() throws Exception {
    Domain domain = domain();
    assertThatThrownBy(
            () -> MemoryServer.open(domain, holder.directory(), CHUNK, CHUNK, chunks -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Announce an address");
  }
}
