package org.slipstream.rdma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.verbs.MemoryRegion;
import org.slipstream.rdma.verbs.ProtectionDomain;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.Link;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/**
 * A benchmark: the shapes of three results of Wu, Wyckoff and Panda ("PVFS over InfiniBand") by our
 * own switches. Runs inside the guest and prints medians of interleaved rounds; asserts only that
 * the bytes arrive. Not part of verify.
 */
public class RdmaShapesRow {
  private static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");
  private static final int PORT = 7979;
  private static final int ROUNDS = Integer.getInteger("slipstream.test.rounds", 5);
  private static final int RING_BYTES = 1 << 20;

  /** Of one round of registrations. */
  private static final int WRITES = 60;

  /** What was measured, row by row; the first line of a table names the columns. */
  private static final class Table {
    private final String title;
    private final Map<String, Map<String, List<Double>>> rows = new LinkedHashMap<>();

    Table(String title) {
      this.title = title;
    }

    void add(String row, String column, double value) {
      rows.computeIfAbsent(row, r -> new LinkedHashMap<>())
          .computeIfAbsent(column, c -> new ArrayList<>())
          .add(value);
    }

    void print() {
      StringBuilder s =
          new StringBuilder("\n" + title + "; medians of " + ROUNDS + " (least to most)");
      rows.forEach((row, columns) -> {
        s.append('\n').append(row);
        columns.forEach(
            (column, values) -> s.append(" | ").append(column).append(' ').append(spread(values)));
      });
      System.out.println(s);
    }

    private static String spread(List<Double> values) {
      double[] v = values.stream().mapToDouble(d -> d).sorted().toArray();
      return String.format(
          Locale.ROOT, "%.0f (%.0f to %.0f)", v[v.length / 2], v[0], v[v.length - 1]);
    }
  }

  /** A link between two endpoints of this process, and where its bytes go. */
  private static final class Way implements AutoCloseable {
    final TestHost serverHost = new TestHost(RING_BYTES);
    final TestHost clientHost = new TestHost(RING_BYTES);
    final RdmaEndpoint server;
    final RdmaEndpoint client;
    final Closeable announced;
    final Session session;
    final Link link;
    final Window there;
    private long position;

    Way(int port, String... settings) throws Exception {
      Properties properties = new Properties();
      for (int i = 0; i < settings.length; i += 2) {
        properties.setProperty("slipstream.rdma." + settings[i], settings[i + 1]);
      }
      RdmaSettings read = RdmaSettings.read(properties);
      InetSocketAddress address = new InetSocketAddress(HOST, port);
      server = new RdmaEndpoint(serverHost, read);
      client = new RdmaEndpoint(clientHost, read);
      announced = server.announce(address);
      session = clientHost.find(client, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
      await().until(() -> serverHost.opened.size() == 1);
      there = serverHost.onReactor(serverHost.opened.getFirst()::allocateWindow);
      Window here = clientHost.onReactor(session::allocateWindow);
      ByteBuffer descriptor = ByteBuffer.allocate(WindowDescriptor.BYTES);
      there.descriptor(descriptor);
      link = clientHost.onReactor(() -> session.join(here, descriptor.flip()));
    }

    /** Messages of this size end where the ring does. Nothing is under way. */
    void align(int size) {
      int rest = (int) (-position & size - 1);
      if (rest > 0) {
        link.push(take(rest), rest);
        placed();
      }
    }

    private int take(int size) {
      int offset = (int) (position & RING_BYTES - 1);
      position += size;
      return offset;
    }

    /** As a heap buffer travels: copied into the ring, and written from there or inline. */
    void copied(MemorySegment source, int size) {
      int offset = take(size);
      MemorySegment.copy(source, 0, link.sendRing(), offset, size);
      link.push(offset, size);
      flush(); // each message by itself, and without a position
    }

    private void flush() {
      SendQueue queue = ((RdmaSession) session).connection().sendQueue();
      queue.lock.lock();
      try {
        while (!((RdmaLink) link).post()) {
          Thread.yield();
        }
      } finally {
        queue.lock.unlock();
      }
    }

    /** As a direct buffer travels once it is registered. */
    void fromWhereItIs(ByteBuffer source, int size) {
      int offset = take(size);
      boolean pushed = link.pushFrom(source, 0, offset, size);
      while (!pushed) {
        Thread.yield();
        pushed = link.pushFrom(source, 0, offset, size);
      }
      link.awaitTaken();
    }

    void placed() {
      link.flush();
      assertThat(link.isBroken()).isFalse();
    }

    @Override
    public void close() throws IOException {
      announced.close();
      session.abort("the benchmark is over");
      client.close();
      server.close();
      serverHost.close();
      clientHost.close();
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  private static double micros(Work work) throws Exception {
    long began = System.nanoTime();
    work.run();
    return (System.nanoTime() - began) / 1e3;
  }

  @Test
  void inlineStagedAndZeroCopyBySize() throws Exception {
    int burst = 64;
    Table table = new Table("us for each message, bursts of " + burst);
    ByteBuffer source = ByteBuffer.allocateDirect(RING_BYTES);
    MemorySegment memory = MemorySegment.ofBuffer(source);
    memory.fill((byte) 5);
    try (Way inline = new Way(PORT);
        Way staged = new Way(PORT + 1, "inline.max", "0");
        Way zeroCopy = new Way(PORT + 2, "inline.max", "0")) {
      for (int round = -1; round < ROUNDS; round++) { // one to warm up
        for (int size = 8; size <= 256 * 1024; size *= size < 256 ? 2 : 4) {
          int n = size;
          Map<String, Double> one = new LinkedHashMap<>();
          if (n <= 256) {
            one.put("inline", burst(inline, burst, n, () -> inline.copied(memory, n)));
          }
          one.put("staged", burst(staged, burst, n, () -> staged.copied(memory, n)));
          one.put("zero copy", burst(zeroCopy, burst, n, () -> zeroCopy.fromWhereItIs(source, n)));
          if (round >= 0) {
            one.forEach((column, value) -> table.add(n + " B", column, value));
          }
        }
      }
      for (Way way : List.of(staged, zeroCopy)) {
        assertThat(way.there.ring().mismatch(memory)).isEqualTo(-1);
      }
    }
    table.print();
  }

  private static double burst(Way way, int count, int size, Work message) throws Exception {
    way.align(size);
    return micros(() -> {
      for (int i = 0; i < count; i++) {
        message.run();
      }
      way.placed();
    })
        / count;
  }

  @Test
  void transferUnitOfThePipeline() throws Exception {
    int transfers = 4;
    Table table = new Table("MiB/s of transfers of 1 MiB, by the piece that is copied and pushed");
    MemorySegment memory = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(RING_BYTES));
    memory.fill((byte) 6);
    try (Way way = new Way(PORT + 3)) {
      for (int round = -1; round < ROUNDS; round++) {
        for (int unit = 4096; unit <= RING_BYTES; unit *= 4) {
          int n = unit;
          double time =
              micros(() -> {
                for (int t = 0; t < transfers; t++) {
                  for (int at = 0; at < RING_BYTES; at += n) {
                    way.copied(memory.asSlice(at), n);
                  }
                  way.placed();
                }
              });
          if (round >= 0) {
            table.add(n / 1024 + " KiB", "", transfers * 1e6 / time);
          }
        }
      }
      assertThat(way.there.ring().mismatch(memory)).isEqualTo(-1);
    }
    table.print();
  }

  @Test
  void registrationByReuse() throws Exception {
    Table table = new Table("us for each write of 256 KiB from memory of the program");
    int size = 256 * 1024;
    ByteBuffer[] buffers = new ByteBuffer[104];
    Arrays.setAll(buffers, i -> ByteBuffer.allocateDirect(size));
    try (Way way = new Way(PORT + 4)) {
      Connection connection = ((RdmaSession) way.session).connection();
      for (int reuse : new int[] {20, 80}) {
        for (int round = -1; round < ROUNDS; round++) {
          Map<String, Double> one = new LinkedHashMap<>();
          one.put("each call", perCall(connection, way, new Choice(buffers, reuse)));
          one.put("cache", cached(connection, way, new Choice(buffers, reuse), 1));
          one.put(
              "cache, deregistered in batches",
              cached(connection, way, new Choice(buffers, reuse), PinDownCache.BATCH));
          if (round >= 0) {
            one.forEach((column, value) -> table.add(reuse + " % reuse", column, value));
          }
        }
      }
    }
    table.print();
  }

  /** One of a few buffers again, or the next of many that the cache has lost by then. */
  private static final class Choice {
    private static final int HOT = 8;
    private final ByteBuffer[] buffers;
    private final int reusePercent;
    private final Random random = new Random(1);
    private int cold;

    Choice(ByteBuffer[] buffers, int reusePercent) {
      this.buffers = buffers;
      this.reusePercent = reusePercent;
    }

    ByteBuffer next() {
      return random.nextInt(100) < reusePercent
          ? buffers[random.nextInt(HOT)]
          : buffers[HOT + cold++ % (buffers.length - HOT)];
    }
  }

  private static double perCall(Connection connection, Way way, Choice choice) throws Exception {
    ProtectionDomain domain = connection.domain();
    return micros(() -> {
      for (int i = 0; i < WRITES; i++) {
        MemorySegment memory = MemorySegment.ofBuffer(choice.next());
        try (MemoryRegion region = domain.registerLocal(memory)) {
          write(connection, way, memory.address(), (int) memory.byteSize(), region.localKey());
        }
      }
    })
        / WRITES;
  }

  private static double cached(Connection connection, Way way, Choice choice, int batch)
      throws Exception {
    SendQueue queue = connection.sendQueue();
    Queue<Runnable> tasks = new ArrayDeque<>();
    PinDownCache cache =
        new PinDownCache(
            queue.lock,
            connection.domain()::registerLocal,
            tasks::add,
            queue::isDone,
            8 << 20,
            batch);
    double each =
        micros(() -> {
          for (int i = 0; i < WRITES; i++) {
            ByteBuffer buffer = choice.next();
            PinDownCache.Entry entry = find(queue, cache, tasks, buffer);
            write(connection, way, entry.address(), buffer.capacity(), entry.localKey());
            entry.usedBy(0);
          }
        })
            / WRITES;
    cache.end();
    return each;
  }

  /** Registered when it is seen for the first time, so that the three are comparable. */
  private static PinDownCache.Entry find(
      SendQueue queue, PinDownCache cache, Queue<Runnable> tasks, ByteBuffer buffer) {
    for (int i = 0; i < 10; i++) {
      queue.lock.lock();
      try {
        PinDownCache.Entry entry = cache.find(buffer);
        if (entry != null) {
          return entry;
        }
      } finally {
        queue.lock.unlock();
      }
      Runnable task;
      while ((task = tasks.poll()) != null) {
        task.run();
      }
    }
    throw new AssertionError("not registered");
  }

  private static void write(Connection connection, Way way, long from, int size, int key)
      throws IOException {
    WindowDescriptor window = descriptor(way);
    SendQueue queue = connection.sendQueue();
    long last;
    queue.lock.lock();
    try {
      assertThat(queue.room()).isPositive();
      queue.writeFrom(from, size, key, window.ring(), window.key());
      queue.submit();
      last = queue.lastPosted();
    } finally {
      queue.lock.unlock();
    }
    queue.awaitCompleted(last);
  }

  private static WindowDescriptor descriptor(Way way) throws IOException {
    ByteBuffer descriptor = ByteBuffer.allocate(WindowDescriptor.BYTES);
    way.there.descriptor(descriptor);
    return WindowDescriptor.read(descriptor.flip());
  }
}
