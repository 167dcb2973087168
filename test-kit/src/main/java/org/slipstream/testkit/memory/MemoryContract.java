package org.slipstream.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.memory.Domain;
import org.slipstream.memory.Grant;
import org.slipstream.memory.MappingException;
import org.slipstream.memory.MappingException.Reason;
import org.slipstream.memory.Owner;
import org.slipstream.memory.Queue;
import org.slipstream.memory.Region;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Right;
import org.slipstream.memory.Status;
import org.slipstream.testkit.AllocationCheck;
import org.slipstream.testkit.Extent;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Seed;
import org.slipstream.testkit.TestDirectory;

/**
 * What one-sided memory promises, whatever the medium: an owner and a client, each with a domain of
 * its own. A row says how a queue is made.
 */
public abstract class MemoryContract {
  /** All that there is. */
  protected static final Set<Right> ALL = EnumSet.allOf(Right.class);

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final int SIZE = 1 << 20;
  private static final int DEPTH = 16;

  /** Of the random programs, and of when a faulty queue does what. */
  @RegisterExtension protected final Seed seed = new Seed();

  /** Where the two find each other. */
  protected TestDirectory directory;

  /** Exports. */
  protected Domain owner;

  /** Maps. */
  protected Domain client;

  /** Of the client. */
  protected Queue queue;

  /** Local memory, which goes after each test. */
  protected final Arena arena = Arena.ofShared();

  private final List<Domain> domains = new ArrayList<>();
  private final long[] ticket = new long[1];
  private final Status[] status = new Status[1];

  /**
   * Whether atomic operations of others are atomic for the owner's processor, too.
   *
   * @return true unless the medium has operations of its own
   */
  protected boolean isAtomicForTheOwner() {
    return true;
  }

  /** Makes a queue of a domain on the medium that is tested. */
  protected abstract Queue queue(Domain domain, int depth);

  @BeforeEach
  void openBoth() throws IOException {
    directory = TestDirectory.create();
    owner = domain();
    client = domain();
    queue = queue(client, DEPTH);
  }

  @AfterEach
  void closeAll() throws IOException {
    domains.forEach(Domain::close);
    directory.close();
    arena.close();
  }

  /** One more process. */
  protected Domain domain() throws IOException {
    Domain domain = Domain.open(directory.path().resolve("r"));
    domains.add(domain);
    return domain;
  }

  /** What has become of the operation that was posted last, once it has ended. */
  protected Status outcome(boolean posted) {
    return outcome(queue, posted);
  }

  /** As the other one. */
  protected Status outcome(Queue of, boolean posted) {
    assertThat(posted).as("the queue has room").isTrue();
    of.submit();
    long end = System.nanoTime() + Patience.DEADLINE.toNanos();
    while (of.poll(ticket, status) == 0) {
      assertThat(System.nanoTime() - end).as("the operation ends").isNegative();
    }
    return status[0];
  }

  /** For media whose queues do not allocate. */
  protected void assertOperationsDoNotAllocate() throws Exception {
    owner.export("r", SIZE, ALL);
    RemoteRegion mapped = client.map(owner.owner(), "r");
    MemorySegment small = arena.allocate(8);
    MemorySegment large = arena.allocate(65536);
    long[] tickets = new long[8];
    Status[] statuses = new Status[8];
    AllocationCheck.assertAllocatesNothing(() -> {
      queue.read(mapped, 8, small, 1);
      queue.write(mapped, 16, small, 2);
      queue.read(mapped, 4096, large, 3);
      queue.fetchAdd(mapped, 0, 1, small, 4);
      queue.compareAndSet(mapped, 0, 1, 2, small, 5);
      queue.read(mapped, SIZE, small, 6);
      queue.submit();
      long end = System.nanoTime() + Patience.DEADLINE.toNanos();
      for (int ended = 0; ended < 6; ) {
        ended += queue.poll(tickets, statuses);
        if (System.nanoTime() - end > 0) {
          throw new AssertionError("operations do not end");
        }
      }
      queue.flush(mapped);
    });
  }

  private Status read(RemoteRegion region, long at, MemorySegment into) {
    return outcome(queue.read(region, at, into, 1));
  }

  private Status write(RemoteRegion region, long at, MemorySegment from) {
    return outcome(queue.write(region, at, from, 1));
  }

  private MemorySegment random(int bytes) {
    byte[] some = new byte[bytes];
    seed.random().nextBytes(some);
    return MemorySegment.ofArray(some);
  }

  // -- names and grants ------------------------------------------------------------------------

  @Test
  public void aRegionIsMappedByOwnerAndName() throws Exception {
    owner.export("one", SIZE, ALL);
    owner.export("two", 12345, Set.of(Right.READ));
    RemoteRegion one = client.map(owner.owner(), "one");
    RemoteRegion two = client.map(owner.owner(), "two");
    assertThat(one.byteSize()).isEqualTo(SIZE);
    assertThat(two.byteSize()).isEqualTo(12345);
    assertThat(one.rights()).isEqualTo(ALL);
    assertThat(two.rights()).containsExactly(Right.READ);
    assertThat(one.name()).isEqualTo("one");
    assertThat(one.status()).isEqualTo(Status.OK);
  }

  @Test
  public void anOwnerIsFoundByAnAddressThatItHasAnnounced() throws Exception {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    owner.export("r", SIZE, ALL);
    InetSocketAddress address = new InetSocketAddress(loopback, 4711);
    assertRefused(Reason.NO_OWNER, Owner.at(address), "r");
    Closeable announced = owner.announce(address);
    assertThat(client.map(Owner.at(address), "r").byteSize()).isEqualTo(SIZE);
    announced.close();
    assertRefused(Reason.NO_OWNER, Owner.at(address), "r");
    owner.announce(new InetSocketAddress(4712)); // of all addresses
    address = new InetSocketAddress(loopback, 4712);
    assertThat(client.map(Owner.at(address), "r").byteSize()).isEqualTo(SIZE);
  }

  @Test
  public void whatIsNotThereIsRefusedWithItsReason() throws Exception {
    assertRefused(Reason.NO_REGION, owner.owner(), "nothing");
    assertRefused(Reason.NO_OWNER, Owner.process(0), "nothing");
    Region region = owner.export("r", SIZE, ALL);
    assertThatThrownBy(() -> owner.export("r", SIZE, ALL))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("'r' already");
    region.close();
    assertRefused(Reason.NO_REGION, owner.owner(), "r");
    owner.export("r", SIZE, ALL);
    client.map(owner.owner(), "r");
  }

  private void assertRefused(Reason reason, Owner of, String name) {
    MappingException refusal =
        catchThrowableOfType(MappingException.class, () -> client.map(of, name));
    assertThat(refusal).hasMessageContaining("'" + name + "'");
    assertThat(refusal.reason()).isEqualTo(reason);
  }

  private void assertRefused(Reason reason, Grant grant) {
    MappingException refusal =
        catchThrowableOfType(MappingException.class, () -> client.map(grant));
    assertThat(refusal.reason()).isEqualTo(reason);
  }

  @Test
  public void aRegionWithoutRightsForAllIsMappedWithAGrantOnly() throws Exception {
    Region region = owner.export("mine", SIZE, Set.of());
    assertRefused(Reason.DENIED, owner.owner(), "mine");
    Grant grant = Grant.decode(region.grant(Set.of(Right.READ, Right.WRITE)).encode());
    RemoteRegion mapped = client.map(grant);
    assertThat(mapped.rights()).containsExactlyInAnyOrder(Right.READ, Right.WRITE);
    assertThat(read(mapped, 0, random(8))).isEqualTo(Status.OK);
    assertRefused(Reason.DENIED, region.grant(Set.of()));
  }

  @Test
  public void aForgedGrantIsDenied() throws Exception {
    Region region = owner.export("mine", SIZE, ALL);
    String grant = region.grant(ALL).encode();
    char digit = grant.contains("/a") ? 'b' : 'a';
    String[] parts = grant.split("/", -1);
    parts[2] = parts[2].substring(1) + digit;
    assertRefused(Reason.DENIED, Grant.decode(String.join("/", parts)));
    parts = grant.split("/", -1);
    parts[1] = "2"; // the number of a grant that has yet to be made
    assertRefused(Reason.DENIED, Grant.decode(String.join("/", parts)));
    Region other = owner.export("other", SIZE, ALL);
    parts = other.grant(ALL).encode().split("/", -1);
    parts[3] = "mine";
    assertRefused(Reason.DENIED, Grant.decode(String.join("/", parts)));
    assertThat(client.map(Grant.decode(grant)).status()).isEqualTo(Status.OK);
  }

  @Test
  public void aRevokedGrantEndsItsMappingsAndNoOther() throws Exception {
    Region region = owner.export("r", SIZE, Set.of(Right.READ));
    Grant grant = region.grant(ALL);
    RemoteRegion first = client.map(grant);
    RemoteRegion second = client.map(grant);
    RemoteRegion byName = client.map(owner.owner(), "r");
    RemoteRegion byOther = client.map(region.grant(ALL));
    assertThat(region.mappings()).isEqualTo(4);
    assertThat(region.revoke(grant, Patience.DEADLINE)).isTrue();
    assertThat(region.mappings()).isEqualTo(2);
    for (RemoteRegion ended : List.of(first, second)) {
      assertThat(ended.status()).isEqualTo(Status.REVOKED);
      assertThat(read(ended, 0, random(8))).isEqualTo(Status.REVOKED);
      assertThat(write(ended, 0, random(100))).isEqualTo(Status.REVOKED);
      assertThat(outcome(queue.fetchAdd(ended, 0, 1, random(8), 1))).isEqualTo(Status.REVOKED);
      assertThat(queue.flush(ended)).isEqualTo(Status.REVOKED);
    }
    assertThat(read(byName, 0, random(8))).isEqualTo(Status.OK);
    assertThat(write(byOther, 0, random(8))).isEqualTo(Status.OK);
    assertRefused(Reason.REVOKED, grant);
  }

  @Test
  public void revokeAllEndsAllGrants() throws Exception {
    Region region = owner.export("r", SIZE, ALL);
    Grant grant = region.grant(ALL);
    RemoteRegion mapped = client.map(grant);
    RemoteRegion byName = domain().map(owner.owner(), "r");
    assertThat(region.revokeAll(Patience.DEADLINE)).isTrue();
    assertThat(region.mappings()).isZero();
    assertThat(mapped.status()).isEqualTo(Status.REVOKED);
    assertThat(byName.status()).isEqualTo(Status.REVOKED);
    assertRefused(Reason.REVOKED, grant);
    assertThat(write(client.map(owner.owner(), "r"), 0, random(8))).isEqualTo(Status.OK);
    assertThat(write(client.map(region.grant(ALL)), 0, random(8))).isEqualTo(Status.OK);
  }

  @Test
  public void aClosedRegionEndsAndAClosedMappingDoes() throws Exception {
    Region region = owner.export("r", SIZE, ALL);
    RemoteRegion mapped = client.map(owner.owner(), "r");
    RemoteRegion closed = client.map(owner.owner(), "r");
    closed.close();
    closed.close();
    assertThat(read(closed, 0, random(8))).isEqualTo(Status.REVOKED);
    Patience.await().until(() -> region.mappings() == 1);
    assertThat(read(mapped, 0, random(8))).isEqualTo(Status.OK);
    region.close();
    region.close();
    Patience.await().until(() -> mapped.status() == Status.REVOKED);
    assertThat(read(mapped, 0, random(8))).isEqualTo(Status.REVOKED);
  }

  @Test
  public void aRegionWhoseOwnerEndsIsLost() throws Exception {
    owner.export("r", SIZE, ALL);
    RemoteRegion mapped = client.map(owner.owner(), "r");
    owner.close();
    Patience.await().until(() -> mapped.status() == Status.LOST);
    assertThat(read(mapped, 0, random(8))).isEqualTo(Status.LOST);
    assertThat(outcome(queue.fetchAdd(mapped, 0, 1, random(8), 1))).isEqualTo(Status.LOST);
    assertThat(queue.flush(mapped)).isEqualTo(Status.LOST);
    mapped.close();
    assertThat(mapped.status()).isEqualTo(Status.LOST);
  }

  @Test
  public void aClientThatEndsHoldsNothing() throws Exception {
    Region region = owner.export("r", SIZE, ALL);
    Domain other = domain();
    RemoteRegion mapped = other.map(owner.owner(), "r");
    assertThat(region.mappings()).isEqualTo(1);
    other.close();
    Patience.await().until(() -> region.mappings() == 0);
    assertThat(mapped.status()).isNotEqualTo(Status.OK);
    assertThatThrownBy(() -> other.map(owner.owner(), "r")).hasMessageContaining("closed");
    assertThatThrownBy(() -> other.export("s", SIZE, ALL)).hasMessageContaining("closed");
  }

  // -- operations ------------------------------------------------------------------------------

  @Test
  public void bytesGoBothWaysInAllSizes() throws Exception {
    Region region = owner.export("r", 2 * SIZE, ALL);
    RemoteRegion mapped = client.map(owner.owner(), "r");
    for (int size : new int[] {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 63, 64, 65, 4095, 65536, SIZE}) {
      for (long at : new long[] {0, 1, 2, 3, 4, 5, 8, 12, 4093, SIZE}) {
        MemorySegment sent = random(size);
        assertThat(write(mapped, at, sent)).isEqualTo(Status.OK);
        assertThat(queue.flush(mapped)).isEqualTo(Status.OK);
        assertThat(region.memory().asSlice(at, size).mismatch(sent))
            .as("%d bytes at %d in the owner's memory", size, at)
            .isEqualTo(-1);
        MemorySegment.copy(random(size), 0, region.memory(), at, size);
        MemorySegment read = arena.allocate(size, 1);
        assertThat(read(mapped, at, read)).isEqualTo(Status.OK);
        assertThat(read.mismatch(region.memory().asSlice(at, size))).isEqualTo(-1);
      }
    }
  }

  @Test
  public void withoutTheRightNothingIsDone() throws Exception {
    Region region = owner.export("r", SIZE, Set.of());
    region.memory().fill((byte) 7);
    for (Right right : Right.values()) {
      RemoteRegion mapped = client.map(region.grant(Set.of(right)));
      MemorySegment buffer = random(8);
      MemorySegment result = arena.allocate(8);
      assertThat(read(mapped, 0, arena.allocate(8)))
          .isEqualTo(right == Right.READ ? Status.OK : Status.DENIED);
      assertThat(outcome(queue.fetchAdd(mapped, 8, 0, result, 1)))
          .isEqualTo(right == Right.ATOMIC ? Status.OK : Status.DENIED);
      assertThat(outcome(queue.compareAndSet(mapped, 8, 1, 2, result, 1)))
          .isEqualTo(right == Right.ATOMIC ? Status.OK : Status.DENIED);
      if (right != Right.WRITE) {
        assertThat(write(mapped, 16, buffer)).isEqualTo(Status.DENIED);
      }
    }
    assertThat(region.memory().mismatch(arena.allocate(SIZE).fill((byte) 7))).isEqualTo(-1);
  }

  @Test
  public void beyondTheRegionNothingIsDone() throws Exception {
    Region region = owner.export("r", 100, ALL);
    RemoteRegion mapped = client.map(owner.owner(), "r");
    MemorySegment buffer = arena.allocate(8).fill((byte) 7);
    for (long at : new long[] {-1, 93, 100, 101, Long.MAX_VALUE, Long.MIN_VALUE}) {
      assertThat(read(mapped, at, buffer)).isEqualTo(Status.OUT_OF_RANGE);
      assertThat(write(mapped, at, buffer)).isEqualTo(Status.OUT_OF_RANGE);
    }
    for (long at : new long[] {-8, 96, Long.MAX_VALUE - 7, Long.MIN_VALUE}) {
      assertThat(outcome(queue.fetchAdd(mapped, at, 1, arena.allocate(8), 1)))
          .isEqualTo(Status.OUT_OF_RANGE);
      assertThat(outcome(queue.compareAndSet(mapped, at, 0, 1, arena.allocate(8), 1)))
          .isEqualTo(Status.OUT_OF_RANGE);
    }
    assertThat(write(mapped, 0, arena.allocate(101))).isEqualTo(Status.OUT_OF_RANGE);
    assertThat(read(mapped, 92, buffer)).isEqualTo(Status.OK);
    assertThat(region.memory().mismatch(arena.allocate(100))).isEqualTo(-1);
  }

  @Test
  public void ticketsComeBackInOrderAndTheQueueHasItsDepth() throws Exception {
    owner.export("r", SIZE, ALL);
    RemoteRegion mapped = client.map(owner.owner(), "r");
    MemorySegment buffer = arena.allocate(8);
    MemorySegment other = arena.allocate(8);
    long next = 0;
    long expected = 0;
    long[] tickets = new long[5];
    Status[] statuses = new Status[5];
    for (int round = 0; round < Extent.of(1000); round++) {
      while (queue.read(mapped, 8 * (next % 100), buffer, next)) {
        next++;
      }
      assertThat(next - expected).as("operations in the queue").isEqualTo(DEPTH);
      other.set(ValueLayout.JAVA_LONG, 0, 4711);
      assertThat(queue.fetchAdd(mapped, 0, 1, other, next)).isFalse();
      assertThat(queue.compareAndSet(mapped, 0, 0, 1, other, next)).isFalse();
      assertThat(queue.write(mapped, 0, other, next)).isFalse();
      assertThat(other.get(ValueLayout.JAVA_LONG, 0)).as("of no operation").isEqualTo(4711);
      queue.submit();
      int n = queue.poll(tickets, statuses);
      for (int i = 0; i < n; i++) {
        assertThat(tickets[i]).isEqualTo(expected++);
        assertThat(statuses[i]).isEqualTo(Status.OK);
      }
    }
    while (expected < next) {
      queue.submit();
      expected += queue.poll(tickets, statuses);
    }
    assertThat(queue.poll(tickets, statuses)).isZero();
  }

  @Test
  public void eachOperationHasItsOwnStatusWhateverBecameOfThoseBeforeIt() throws Exception {
    owner.export("r", SIZE, ALL);
    RemoteRegion mapped = client.map(owner.owner(), "r");
    MemorySegment buffer = arena.allocate(8);
    for (int round = 0; round < Extent.of(200); round++) {
      int bad = seed.random().nextInt(1 << DEPTH);
      for (int i = 0; i < DEPTH; i++) {
        assertThat(queue.read(mapped, (bad >> i & 1) == 0 ? 8 : SIZE, buffer, i)).isTrue();
      }
      queue.submit();
      // Often one at a time, and what the last round has left in the arrays is not to be seen.
      long[] tickets = new long[1 + seed.random().nextInt(3)];
      Status[] statuses = new Status[tickets.length];
      for (int taken = 0; taken < DEPTH; ) {
        int n = queue.poll(tickets, statuses);
        for (int i = 0; i < n; i++, taken++) {
          assertThat(tickets[i]).isEqualTo(taken);
          assertThat(statuses[i])
              .as("operation %d, bad are %x", taken, bad)
              .isEqualTo((bad >> taken & 1) == 0 ? Status.OK : Status.OUT_OF_RANGE);
        }
      }
    }
  }

  @Test
  public void aMisalignedAtomicIsAMistake() throws Exception {
    owner.export("r", SIZE, ALL);
    RemoteRegion mapped = client.map(owner.owner(), "r");
    MemorySegment result = arena.allocate(8);
    assertThatThrownBy(() -> queue.fetchAdd(mapped, 4, 1, result, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> queue.compareAndSet(mapped, 1, 0, 1, result, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(queue.poll(ticket, status)).as("nothing was posted").isZero();
  }

  @Test
  public void atomicsOfAllProcessesAddUp() throws Exception {
    Region region = owner.export("r", 64, ALL);
    int each = Extent.of(20_000);
    List<CompletableFuture<Void>> threads = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Domain other = domain();
      RemoteRegion mapped = other.map(owner.owner(), "r");
      Queue its = queue(other, 1);
      threads.add(CompletableFuture.runAsync(() -> addAndSet(its, mapped, each)));
    }
    int own = isAtomicForTheOwner() ? each : 0;
    for (int i = 0; i < own; i++) {
      long _ = (long) LONG.getAndAdd(region.memory(), 8L, 1L);
    }
    for (CompletableFuture<Void> thread : threads) {
      thread.get(Patience.LONG.toSeconds(), java.util.concurrent.TimeUnit.SECONDS);
    }
    assertThat(region.memory().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(own + 2L * each);
    assertThat(region.memory().get(ValueLayout.JAVA_LONG, 16)).isEqualTo(2L * each);
  }

  /** Adds to one word, and adds to another by comparing and setting. */
  private static void addAndSet(Queue queue, RemoteRegion region, int times) {
    long[] tickets = new long[1];
    Status[] statuses = new Status[1];
    MemorySegment before = MemorySegment.ofArray(new long[1]);
    long seen = 0;
    for (int i = 0; i < times; i++) {
      queue.fetchAdd(region, 8, 1, before, i);
      finish(queue, tickets, statuses);
      boolean set = false;
      while (!set) {
        queue.compareAndSet(region, 16, seen, seen + 1, before, i);
        finish(queue, tickets, statuses);
        long was = before.get(ValueLayout.JAVA_LONG, 0);
        set = was == seen;
        seen = set ? seen + 1 : was;
      }
    }
  }

  private static void finish(Queue queue, long[] tickets, Status[] statuses) {
    queue.submit();
    while (queue.poll(tickets, statuses) == 0) {
      Thread.onSpinWait();
    }
    assertThat(statuses[0]).isEqualTo(Status.OK);
  }

  // -- consistency -----------------------------------------------------------------------------

  /** Of 8 bytes a reader sees all or none; a flag is seen behind what was written before it. */
  @Test
  public void smallValuesAreWholeAndWritesAreInOrder() throws Exception {
    Region region = owner.export("r", SIZE, ALL);
    RemoteRegion mapped = client.map(owner.owner(), "r");
    int rounds = Extent.isReduced() ? 300 : 5_000; // each waits for turns of two threads
    MemorySegment payload = arena.allocate(1000, 8);
    MemorySegment expected = arena.allocate(1000, 8);
    MemorySegment flag = arena.allocate(8, 8);
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(() -> {
          for (long round = 1; round <= rounds; round++) {
            while ((long) LONG.getAcquire(region.memory(), 8192L) != round - 1) {
              Thread.yield(); // until the owner has seen the last one
            }
            fill(payload, round);
            flag.set(ValueLayout.JAVA_LONG, 0, round * 0x0001_0001_0001_0001L);
            queue.write(mapped, 3, payload, 1); // not aligned: in pieces
            queue.write(mapped, 4096, flag, 2);
            queue.submit();
            int ended = 0;
            while (ended < 2) {
              ended += queue.poll(ticket, status);
            }
          }
        });
    long end = System.nanoTime() + Patience.LONG.toNanos();
    for (long round = 1; round <= rounds; round++) {
      long seen;
      do {
        Thread.yield(); // a device in software may need the processor
        seen = (long) LONG.getAcquire(region.memory(), 4096L);
        if (seen % 0x0001_0001_0001_0001L != 0 || System.nanoTime() - end > 0) {
          throw new AssertionError("round " + round + " has a torn word or none: " + seen);
        }
      } while (seen != round * 0x0001_0001_0001_0001L);
      fill(expected, round);
      long differs =
          MemorySegment.mismatch(region.memory(), 3, 1003, expected, 0, expected.byteSize());
      assertThat(differs).as("a byte that was written before the flag").isEqualTo(-1);
      LONG.setRelease(region.memory(), 8192L, round);
    }
    writer.get(Patience.LONG.toSeconds(), java.util.concurrent.TimeUnit.SECONDS);
  }

  private static void fill(MemorySegment memory, long value) {
    MemorySegment _ = memory.fill((byte) value);
  }

  @Test
  public void randomProgramsDoWhatAnArrayDoes() throws Exception {
    for (int program = 0; program < 20; program++) {
      String name = "r" + program;
      int size = 1 + seed.random().nextInt(5000);
      Region region = owner.export(name, size, ALL);
      RemoteRegion mapped = client.map(owner.owner(), name);
      new RandomProgram(RandomProgram.of(queue, mapped, region), seed.random()).run(Extent.of(500));
      mapped.close();
      region.close();
    }
  }

  @Test
  public void aRevokedMappingIsNotWrittenAnyMore() throws Exception {
    Region region = owner.export("r", SIZE, ALL);
    Random random = new Random(seed.value());
    for (int round = 0; round < Extent.of(20); round++) {
      RemoteRegion mapped = client.map(owner.owner(), "r");
      Queue its = queue(client, 4);
      CompletableFuture<Status> writer =
          CompletableFuture.supplyAsync(() -> writeUntilItEnds(its, mapped));
      Thread.sleep(random.nextInt(3));
      assertThat(region.revokeAll(Patience.DEADLINE)).isTrue();
      MemorySegment before = arena.allocate(64, 8).copyFrom(region.memory().asSlice(0, 64));
      assertThat(writer.get(Patience.DEADLINE.toSeconds(), java.util.concurrent.TimeUnit.SECONDS))
          .isEqualTo(Status.REVOKED);
      assertThat(region.memory().asSlice(0, 64).mismatch(before))
          .as("a store after revokeAll had returned")
          .isEqualTo(-1);
    }
  }

  private static Status writeUntilItEnds(Queue queue, RemoteRegion region) {
    long[] tickets = new long[4];
    Status[] statuses = new Status[4];
    MemorySegment words = MemorySegment.ofArray(new long[8]);
    for (long n = 1; ; n++) {
      words.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, n);
      words.set(ValueLayout.JAVA_LONG_UNALIGNED, 56, n);
      queue.write(region, 0, words, n);
      queue.submit();
      int ended = queue.poll(tickets, statuses);
      for (int i = 0; i < ended; i++) {
        if (statuses[i] != Status.OK) {
          return statuses[i];
        }
      }
    }
  }

  /** A process that does not exist any more is no reason to wait long. */
  @Test
  public void revokingWhatNoProcessHasMappedIsDoneAtOnce() throws Exception {
    Region region = owner.export("r", SIZE, ALL);
    assertThat(region.revokeAll(Duration.ZERO)).isTrue();
  }
}
