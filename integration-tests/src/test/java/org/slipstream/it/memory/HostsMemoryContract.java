package org.slipstream.it.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.memory.Domain;
import org.slipstream.memory.Grant;
import org.slipstream.memory.MappingException;
import org.slipstream.memory.Queue;
import org.slipstream.memory.Region;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Status;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.memory.MemoryContract;

/**
 * One-sided memory between hosts that have the same cluster key: the contract, and what holds where
 * there are no loads and stores.
 */
abstract class HostsMemoryContract extends MemoryContract {
  static final int SIZE = 1 << 20;

  /** The setting of the cluster key. */
  static final String KEY = "slipstream.key";

  /** What so many entries of a table take at least. */
  private static final long LEAK_OF_EACH = 80;

  /** A heap that has grown by less has not grown by what is counted here. */
  private static final long NO_LEAK = 800_000;

  /** In the port space of rdma_cm, below those that the kernel chooses. */
  private static final AtomicInteger PORTS = new AtomicInteger(20_000);

  /** What the next domain opens. */
  String transports;

  /** Which cluster key it has. */
  private String key = "key";

  private final Set<String> settings = new HashSet<>();

  HostsMemoryContract(String transports) {
    this.transports = transports;
  }

  /** A setting of all domains that this test opens from now on. */
  final void set(String setting, Object value) {
    System.setProperty(setting, value.toString());
    settings.add(setting);
  }

  @AfterEach
  void forget() {
    settings.forEach(System::clearProperty);
  }

  /** By which owners are found. */
  abstract String host();

  /** How many mappings are made and ended before what is left of them is counted. */
  abstract int mappings();

  static int port() {
    return PORTS.incrementAndGet();
  }

  @Override
  protected Domain domain() throws IOException {
    Path file = directory.path().resolve(key);
    if (!Files.exists(file)) {
      Files.writeString(file, "a secret of the tests, more than 16 bytes: " + key);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }
    set(KEY, file);
    set("slipstream.transports", transports);
    Domain domain = super.domain();
    domain.announce(new InetSocketAddress(host(), port())); // until it is closed
    return domain;
  }

  @Override
  protected Queue queue(Domain domain, int depth) {
    return domain.queue(depth);
  }

  @Test
  void thereAreNoLoadsAndStores() throws Exception {
    owner.export("r", SIZE, ALL);
    assertThat(client.map(owner.owner(), "r").direct()).isEmpty();
  }

  @Test
  void largeOperationsGoInPieces() throws Exception {
    int size = 5 * SIZE + 12345;
    Region region = owner.export("r", size, ALL);
    RemoteRegion mapped = client.map(owner.owner(), "r");
    MemorySegment sent = arena.allocate(size);
    for (long i = 0; i < size / Long.BYTES; i++) {
      sent.setAtIndex(ValueLayout.JAVA_LONG, i, seed.random().nextLong());
    }
    assertThat(outcome(queue.write(mapped, 0, sent, 1))).isEqualTo(Status.OK);
    assertThat(queue.flush(mapped)).isEqualTo(Status.OK);
    assertThat(region.memory().mismatch(sent)).isEqualTo(-1);
    MemorySegment read = arena.allocate(size);
    assertThat(outcome(queue.read(mapped, 0, read, 2))).isEqualTo(Status.OK);
    assertThat(read.mismatch(sent)).isEqualTo(-1);
  }

  @Test
  void theDataPathDoesNotAllocate() throws Exception {
    assertOperationsDoNotAllocate();
  }

  // -- the key ---------------------------------------------------------------------------------

  /** Neither by name nor with a grant, which it may have found in a log. */
  @Test
  void aProcessWithAnotherKeyIsGivenNothing() throws Exception {
    Region region = owner.export("r", SIZE, ALL);
    Grant grant = region.grant(ALL);
    key = "another";
    Domain other = domain();
    assertNoOwner(() -> other.map(owner.owner(), "r"));
    assertNoOwner(() -> other.map(grant));
    assertThat(region.mappings()).isZero();
    key = "key";
    assertThat(domain().map(grant).status()).isEqualTo(Status.OK);
  }

  private static void assertNoOwner(Callable<RemoteRegion> mapping) {
    assertThat(catchThrowableOfType(MappingException.class, mapping::call).reason())
        .isEqualTo(MappingException.Reason.NO_OWNER);
  }

  // -- what is left ----------------------------------------------------------------------------

  @Test
  void nothingIsLeftAfterManyMappings() throws Exception {
    Region region = owner.export("r", SIZE, ALL);
    mapAndUnmap(region, mappings() / 10); // and so all is there that is made once
    Map<String, Long> before = held();
    long heap = heap();
    mapAndUnmap(region, mappings());
    Patience.await().untilAsserted(() -> assertHeld(before));
    long leak = Math.max(NO_LEAK, mappings() * LEAK_OF_EACH);
    Patience.await().untilAsserted(() -> assertThat(heap() - heap).isLessThan(leak));
    RemoteRegion mapped = client.map(owner.owner(), "r");
    assertThat(outcome(queue.read(mapped, 0, arena.allocate(8), 1))).isEqualTo(Status.OK);
  }

  /** By the name, and with grants that are revoked; some have a queue of their own meanwhile. */
  private void mapAndUnmap(Region region, int times) throws Exception {
    MemorySegment word = arena.allocate(8);
    for (int i = 0; i < times; i++) {
      Grant grant = region.grant(ALL);
      boolean byName = i % 2 == 0;
      try (RemoteRegion mapped = byName ? client.map(owner.owner(), "r") : client.map(grant)) {
        assertThat(mapped.status()).isEqualTo(Status.OK);
        if (i % 100 < 2) {
          try (Queue its = client.queue(1)) {
            assertThat(outcome(its, its.read(mapped, 0, word, 1))).isEqualTo(Status.OK);
          }
        }
      }
      assertThat(region.revoke(grant, Duration.ZERO)).isTrue();
    }
    Patience.await().until(() -> region.mappings() == 0);
  }

  /** What the kernel keeps for this process; without files of the JVM, which opens some late. */
  Map<String, Long> held() throws IOException {
    Map<String, Long> held = new TreeMap<>();
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      held.put("descriptors", all.filter(HostsMemoryContract::isOurs).count());
    }
    try (Stream<String> all = Files.lines(Path.of("/proc/self/maps"))) {
      held.put("mappings", all.filter(line -> line.contains("/dev/")).count());
    }
    return held;
  }

  private static boolean isOurs(Path descriptor) {
    try {
      String target = Files.readSymbolicLink(descriptor).toString();
      return !target.startsWith("/") || target.startsWith("/dev/");
    } catch (IOException e) {
      return false; // that of the listing, or closed meanwhile
    }
  }

  /** No more of anything; an earlier test may still be letting go of its own. */
  private void assertHeld(Map<String, Long> before) throws IOException {
    held()
        .forEach((what, count) ->
            assertThat(count).as(what).isLessThanOrEqualTo(before.getOrDefault(what, 0L)));
  }

  private static long heap() {
    System.gc();
    System.gc(); // what finalizing has let go
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
