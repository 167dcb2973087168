package org.slipstream.it.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.memory.CheckedRecord;
import org.slipstream.memory.Domain;
import org.slipstream.memory.MappingException;
import org.slipstream.memory.MemoryServer;
import org.slipstream.memory.MemoryServers;
import org.slipstream.memory.Queue;
import org.slipstream.memory.Region;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Right;
import org.slipstream.memory.Status;
import org.slipstream.memory.StripedQueue;
import org.slipstream.memory.StripedRegion;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Seed;
import org.slipstream.testkit.TestDirectory;
import org.slipstream.testkit.memory.FaultyQueue;
import org.slipstream.testkit.memory.RandomProgram;

/** Memory servers, reservations and stripes: several domains of one process. */
class MemoryServersTest {
  private static final Set<Right> ALL = EnumSet.allOf(Right.class);
  private static final int CHUNK = 8192;
  private static final long KEEP = 1 << 20;

  @RegisterExtension final Seed seed = new Seed();

  private final List<Domain> domains = new ArrayList<>();
  private final List<MemoryServer> servers = new ArrayList<>();
  private final Arena arena = Arena.ofShared();
  private final long[] ticket = new long[1];
  private final Status[] status = new Status[1];
  private TestDirectory directory;
  private Domain client;
  private MemoryServers memory;

  @BeforeEach
  void threeServers() throws IOException {
    directory = TestDirectory.create();
    for (int i = 0; i < 3; i++) {
      servers.add(MemoryServer.open(domain(), 4 * CHUNK, CHUNK, n -> {}));
    }
    client = domain();
    memory = new MemoryServers(client, KEEP);
  }

  private Domain domain() throws IOException {
    Domain domain = Domain.open(directory.path().resolve("r"));
    domains.add(domain);
    return domain;
  }

  @AfterEach
  void closeAll() throws IOException {
    memory.close();
    servers.forEach(MemoryServer::close);
    domains.forEach(Domain::close);
    directory.close();
    arena.close();
  }

  private int free() {
    return servers.stream().mapToInt(MemoryServer::freeChunks).sum();
  }

  private StripedQueue queue() {
    return new StripedQueue(client.queue(4), 4);
  }

  private Status outcome(StripedQueue queue, boolean posted) {
    assertThat(posted).as("the queue has room").isTrue();
    queue.submit();
    assertThat(queue.poll(ticket, status)).isEqualTo(1);
    return status[0];
  }

  private void write(StripedRegion region, long at, long value) {
    MemorySegment word = MemorySegment.ofArray(new long[] {value});
    StripedQueue queue = queue();
    assertThat(outcome(queue, queue.write(region, at, word, 1))).isEqualTo(Status.OK);
    assertThat(queue.flush(region)).isEqualTo(Status.OK);
  }

  private long read(StripedRegion region, long at) {
    MemorySegment word = MemorySegment.ofArray(new long[1]);
    StripedQueue queue = queue();
    assertThat(outcome(queue, queue.read(region, at, word, 1))).isEqualTo(Status.OK);
    return word.get(ValueLayout.JAVA_LONG, 0);
  }

  private static boolean isZero(StripedRegion region) {
    return region.parts().stream()
        .map(part -> part.direct().orElseThrow())
        .allMatch(part -> part.mismatch(MemorySegment.ofArray(new byte[CHUNK])) == -1);
  }

  // -- reservations ----------------------------------------------------------------------------

  @Test
  void chunksArePlacedOnAllServersInTurn() throws Exception {
    StripedRegion region = memory.reserve(6 * CHUNK - 5);
    assertThat(region.byteSize()).isEqualTo(6 * CHUNK - 5);
    assertThat(region.unitBytes()).isEqualTo(CHUNK);
    assertThat(region.rights()).isEqualTo(ALL);
    assertThat(servers).allMatch(server -> server.freeChunks() == 2);
    for (long at = 0; at < region.byteSize(); at += CHUNK) {
      assertThat(read(region, at)).isZero();
      write(region, at, at);
    }
    for (long at = 0; at < region.byteSize(); at += CHUNK) {
      assertThat(read(region, at)).isEqualTo(at);
    }
    StripedQueue queue = queue();
    assertThat(outcome(queue, queue.read(region, 6 * CHUNK - 8, arena.allocate(8), 1)))
        .isEqualTo(Status.OUT_OF_RANGE);
  }

  @Test
  void aServerThatIsFullIsPassedOver() throws Exception {
    servers.get(1).close();
    StripedRegion all = memory.reserve(8 * CHUNK);
    assertThat(all.status()).isEqualTo(Status.OK);
    assertThatThrownBy(() -> memory.reserve(CHUNK))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("0 chunks");
    MemoryServer late = MemoryServer.open(domain(), 2 * CHUNK, CHUNK, n -> {});
    servers.add(late);
    memory.reserve(2 * CHUNK);
    assertThat(late.freeChunks()).isZero();
  }

  @Test
  void withoutAServerItSaysWhatToDo() {
    servers.forEach(MemoryServer::close);
    assertThatThrownBy(() -> memory.reserve(1)).hasMessageContaining("memory serve");
  }

  @Test
  void whatIsClosedIsKeptAndTakenAgain() throws Exception {
    StripedRegion first = memory.reserve(2 * CHUNK);
    write(first, CHUNK, 7);
    first.close();
    first.close();
    StripedQueue queue = queue();
    assertThat(outcome(queue, queue.read(first, 0, arena.allocate(8), 1)))
        .isEqualTo(Status.REVOKED);
    assertThat(first.status()).isEqualTo(Status.REVOKED);
    assertThat(free()).as("it is kept").isEqualTo(10);
    StripedRegion again = memory.reserve(2 * CHUNK);
    assertThat(free()).isEqualTo(10);
    assertThat(again.parts()).isEqualTo(first.parts());
    assertThat(read(again, CHUNK)).as("what this process has left").isEqualTo(7);
    again.close();
    memory.trim();
    Patience.await().until(() -> free() == 12);
    StripedRegion all = new MemoryServers(domain(), 0).reserve(12 * CHUNK);
    assertThat(isZero(all)).as("what another process left is gone").isTrue();
    assertThat(all.status()).isEqualTo(Status.OK);
  }

  /** The ratio is of one run, and a hundred times less than what it is without other load. */
  @Test
  void reservingAgainCostsLittle() throws Exception {
    long cold = Long.MAX_VALUE;
    long again = Long.MAX_VALUE;
    for (int i = 0; i < 20; i++) {
      memory.trim();
      Patience.await().until(() -> free() == 12);
      long start = System.nanoTime();
      StripedRegion region = memory.reserve(8 * CHUNK);
      cold = Math.min(cold, System.nanoTime() - start);
      region.close();
      for (int j = 0; j < 200; j++) {
        start = System.nanoTime();
        region = memory.reserve(8 * CHUNK);
        again = Math.min(again, System.nanoTime() - start);
        region.close();
      }
    }
    System.out.printf("Reserving again: %d ns, cold: %d ns, %d times%n", again, cold, cold / again);
    assertThat(cold / again).isGreaterThanOrEqualTo(100);
  }

  @Test
  void aClosedServerRevokesWhatItLent() throws Exception {
    StripedRegion region = memory.reserve(3 * CHUNK);
    servers.getFirst().close();
    Patience.await().until(() -> region.status() == Status.REVOKED);
    assertThat(region.parts().stream().filter(part -> part.status() == Status.OK)).hasSize(2);
    assertThat(memory.reserve(3 * CHUNK).status()).isEqualTo(Status.OK);
  }

  // -- names -----------------------------------------------------------------------------------

  @Test
  void aReservationIsMappedByItsName() throws Exception {
    StripedRegion mine = memory.reserve("a table", 5 * CHUNK, Set.of(Right.READ));
    write(mine, 4 * CHUNK, 4711);
    MemoryServers others = new MemoryServers(domain(), 0);
    StripedRegion theirs = others.map("a table");
    assertThat(theirs.rights()).containsExactly(Right.READ);
    assertThat(read(theirs, 4 * CHUNK)).isEqualTo(4711);
    assertThatThrownBy(() -> others.reserve("a table", 1, ALL)).hasMessageContaining("already");
    assertThatThrownBy(() -> others.map("a")).isInstanceOf(MappingException.class);
    memory.reserve("mine", CHUNK, Set.of());
    assertThatThrownBy(() -> others.map("mine")).isInstanceOf(MappingException.class);
    mine.close();
    Patience.await().until(() -> theirs.status() == Status.REVOKED);
    Patience.await().until(() -> free() == 11);
    assertThat(isZero(others.reserve("a table", 5 * CHUNK, ALL))).isTrue();
  }

  @Test
  void aNameIsGivenToOneOfMany() throws Exception {
    List<Callable<StripedRegion>> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      MemoryServers other = new MemoryServers(domain(), 0);
      all.add(() -> other.reserve("n", CHUNK, ALL));
    }
    int given = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(all.size())) {
      for (Future<StripedRegion> one : threads.invokeAll(all)) {
        try {
          assertThat(one.get().status()).isEqualTo(Status.OK);
          given++;
        } catch (ExecutionException e) {
          assertThat(e).hasMessageContaining("already");
        }
      }
    }
    assertThat(given).isEqualTo(1);
    assertThat(free()).isEqualTo(11);
  }

  @Test
  void theEndOfTheEldestServerEndsNoName() throws Exception {
    StripedRegion[] regions = new StripedRegion[3];
    for (int i = 0; i < regions.length; i++) { // each on another server
      regions[i] = memory.reserve("n" + i, CHUNK, ALL);
    }
    servers.getFirst().close();
    Patience.await()
        .until(() -> Arrays.stream(regions).filter(r -> r.status() == Status.OK).count() == 2);
    MemoryServers others = new MemoryServers(domain(), 0);
    Set<String> found = new HashSet<>();
    for (int i = 0; i < regions.length; i++) {
      if (regions[i].status() == Status.OK) {
        others.map("n" + i);
        found.add("n" + i);
        String taken = "n" + i;
        assertThatThrownBy(() -> others.reserve(taken, 1, ALL)).hasMessageContaining("already");
      }
    }
    assertThat(found).hasSize(2);
    others.reserve("m", 2 * CHUNK, ALL);
  }

  @Test
  void aHolderThatEndsHoldsNothing() throws Exception {
    Domain other = domain();
    StripedRegion theirs = new MemoryServers(other, KEEP).reserve("n", 3 * CHUNK, ALL);
    new MemoryServers(other, KEEP).reserve(3 * CHUNK).close(); // kept
    write(memory.map("n"), 0, 1);
    assertThat(free()).isEqualTo(6);
    other.close();
    assertThat(theirs.status()).isNotEqualTo(Status.OK);
    Patience.await().until(() -> free() == 12);
    assertThat(isZero(memory.reserve("n", 12 * CHUNK, ALL))).isTrue();
  }

  // -- stripes ---------------------------------------------------------------------------------

  @Test
  void randomProgramsOnStripesDoWhatAnArrayDoes() throws Exception {
    Random random = seed.random();
    for (int program = 0; program < 10; program++) {
      List<Region> regions = new ArrayList<>();
      List<RemoteRegion> parts = new ArrayList<>();
      long unit = 8L * (1 + random.nextInt(20));
      for (int i = 0; i < 1 + program % 4; i++) {
        Domain owner = domains.get(i);
        String name = "part-" + program + "-" + i;
        regions.add(owner.export(name, unit * (1 + random.nextInt(9)), ALL));
        parts.add(client.map(regions.getLast().grant(ALL)));
      }
      Queue works = client.queue(8);
      Queue below = program % 2 == 0 ? works : new FaultyQueue(works, 8, random);
      StripedRegion striped = StripedRegion.of(parts, unit);
      new RandomProgram(RandomProgram.of(new StripedQueue(below, 5), striped), random).run(400);
      striped.close();
      regions.forEach(Region::close);
    }
  }

  @Test
  void randomProgramsOnReservationsDoWhatAnArrayDoes() throws Exception {
    for (int program = 0; program < 3; program++) {
      StripedRegion region = memory.reserve("n", 3 * CHUNK, ALL);
      new RandomProgram(RandomProgram.of(queue(), region), seed.random()).run(200);
      region.close();
      Patience.await().until(() -> free() == 12);
    }
  }

  @Test
  void aMistakeOfTheCallerPostsNothing() throws Exception {
    StripedRegion region = memory.reserve(CHUNK);
    StripedQueue queue = queue();
    MemorySegment readOnly = arena.allocate(8).asReadOnly();
    assertThatThrownBy(() -> queue.read(region, 0, readOnly, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> queue.fetchAdd(region, 4, 1, arena.allocate(8), 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(queue.poll(ticket, status)).isZero();
    for (int i = 0; i < 4; i++) {
      assertThat(queue.read(region, 0, arena.allocate(8), i)).isTrue();
    }
    assertThat(queue.read(region, 0, arena.allocate(8), 4)).as("it is full").isFalse();
  }

  // -- records ---------------------------------------------------------------------------------

  @Test
  void aRecordThatIsNotAsItWasSealedIsNotWhole() {
    MemorySegment record = arena.allocate(CheckedRecord.bytesFor(21));
    assertThat(record.byteSize()).isEqualTo(40);
    assertThat(CheckedRecord.isWhole(record)).as("zeros").isFalse();
    CheckedRecord.payload(record, 21).fill((byte) 9);
    CheckedRecord.seal(record, 5);
    assertThat(CheckedRecord.isWhole(record)).isTrue();
    assertThat(CheckedRecord.version(record)).isEqualTo(5);
    for (long at = 0; at < record.byteSize(); at++) {
      byte before = record.get(ValueLayout.JAVA_BYTE, at);
      record.set(ValueLayout.JAVA_BYTE, at, (byte) (before + 1));
      assertThat(CheckedRecord.isWhole(record)).as("byte %d", at).isFalse();
      record.set(ValueLayout.JAVA_BYTE, at, before);
    }
  }
}
