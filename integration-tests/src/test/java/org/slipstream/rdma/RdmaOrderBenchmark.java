package org.slipstream.rdma;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.FutureTask;

/**
 * What each order of writes and a key cost: links between two endpoints of this JVM, whose ends
 * poll, so that the figures hold nothing of selectors, sleeping threads or other JVMs. {@code
 * guest/benchmark} starts it and runs it in turns with the tools that show the device's own limit.
 *
 * <p>For each line on standard input that says {@code round} it measures everything once, in turns,
 * and prints lines {@code result NAME|VALUE|PACKETS}, then {@code done}. Asserts nothing but that
 * the messages are those that were sent.
 */
public final class RdmaOrderBenchmark {
  private static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");
  private static final int PORT = 7900;
  private static final int RING_BYTES = 256 * 1024;
  private static final int MEBI = 1 << 20;

  /** Above 88 bytes a message has no self-validating word; of 4 KiB, the copies count. */
  private static final int[] EXCHANGES = {64, 256, 4096};

  private static final int POLLS_BEFORE_YIELD =
      Integer.getInteger("slipstream.benchmark.polls", 16);

  /** Of a turn. */
  private static final int BATCHES = Integer.getInteger("slipstream.benchmark.batches", 60);

  private static final int MESSAGES = Integer.getInteger("slipstream.benchmark.messages", 60);
  private static final int CONNECTS = Integer.getInteger("slipstream.benchmark.connects", 5);

  private static final FabricKey NO_KEY = FabricKey.of(null);
  private static final FabricKey KEY = FabricKey.of("a key of sixteen bytes".getBytes(US_ASCII));

  private final Map<String, RdmaRings> links = new LinkedHashMap<>();
  private final RingTurns turns = new RingTurns();
  private int connects;

  private RdmaOrderBenchmark() throws Exception {
    for (RdmaOrder order : RdmaOrder.values()) {
      links.put(order.text(), connect(order, NO_KEY));
    }
    links.put("trusted, with a key", connect(RdmaOrder.TRUSTED, KEY));
  }

  /**
   * Runs until standard input ends. The threads of the two ends are named {@code one end} and
   * {@code other end}, so that each can be given a processor.
   */
  public static void main(String[] args) throws Exception {
    FutureTask<Void> rounds = new FutureTask<>(RdmaOrderBenchmark::rounds);
    Thread.ofPlatform().name("one end").start(rounds);
    rounds.get();
    System.exit(0); // event threads of a device go on as long as it may be removed
  }

  private static Void rounds() throws Exception {
    RdmaOrderBenchmark benchmark = new RdmaOrderBenchmark();
    System.out.println("ready");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, US_ASCII));
    while ("round".equals(in.readLine())) {
      benchmark.round();
      System.out.println("done");
    }
    return null;
  }

  /** Each at a port of its own: a listener of the one before may not have ended yet. */
  private RdmaRings connect(RdmaOrder order, FabricKey key) throws Exception {
    InetSocketAddress address = new InetSocketAddress(HOST, PORT + connects++ % 1000);
    return new RdmaRings(address, order, key, RING_BYTES, POLLS_BEFORE_YIELD);
  }

  private void round() throws Exception {
    for (int bytes : EXCHANGES) {
      for (Map.Entry<String, RdmaRings> link : links.entrySet()) {
        String size = bytes < 1024 ? bytes + " B" : bytes / 1024 + " KiB";
        exchange(size + " exchange, us: " + link.getKey(), link.getValue(), bytes);
      }
    }
    for (RdmaOrder order : RdmaOrder.values()) {
      asleep(order.text(), links.get(order.text()));
    }
    for (boolean direct : new boolean[] {false, true}) {
      for (RdmaOrder order : RdmaOrder.values()) {
        transfer(order.text(), links.get(order.text()), direct);
      }
    }
    for (int i = 0; i < CONNECTS; i++) {
      connects("without a key", NO_KEY);
      connects("with a key", KEY);
    }
  }

  /** What waking costs is known elsewhere: this row is there for its packets. */
  private void asleep(String name, RdmaRings link) throws Exception {
    link.a().sleeps(true);
    link.b().sleeps(true);
    exchange("64 B exchange asleep, us: " + name, link, EXCHANGES[0]);
    link.a().sleeps(false);
    link.b().sleeps(false);
  }

  private void exchange(String name, RdmaRings link, int bytes) throws Exception {
    long before = packets();
    double nanos = turns.exchange(link.a(), link.b(), bytes, BATCHES);
    double packets = (double) (packets() - before) / (BATCHES * RingTurns.BATCH);
    result(name, nanos / 1e3, packets);
  }

  private void transfer(String name, RdmaRings link, boolean direct) throws Exception {
    ByteBuffer message = direct ? ByteBuffer.allocateDirect(MEBI) : ByteBuffer.allocate(MEBI);
    turns.transfer(link.a(), link.b(), message, 3); // the memory of a buffer is registered
    long before = packets();
    double nanos = turns.transfer(link.a(), link.b(), message, MESSAGES);
    double packets = (double) (packets() - before) / MESSAGES;
    String kind = direct ? "direct buffer" : "heap buffer";
    result("1 MiB one way, MiB/s, " + kind + ": " + name, 1e9 / nanos, packets);
  }

  private void connects(String name, FabricKey key) throws Exception {
    long before = packets();
    try (RdmaRings link = connect(RdmaOrder.TRUSTED, key)) {
      result(
          "connect and join, ms: " + name,
          link.connectNanos() / 1e6,
          (double) (packets() - before));
    }
  }

  /** What the device has sent, once the kernel has looked at its counters. */
  private static long packets() throws IOException, InterruptedException {
    Thread.sleep(DeviceCounters.KERNEL_LOOKS_MS);
    return DeviceCounters.packets();
  }

  private static void result(String name, double value, double packets) {
    System.out.println(String.format(Locale.ROOT, "result %s|%.1f|%.1f", name, value, packets));
  }
}
