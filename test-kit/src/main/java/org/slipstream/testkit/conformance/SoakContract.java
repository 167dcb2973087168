package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Seed;
import org.slipstream.testkit.Tape;
import org.slipstream.testkit.ThreadKind;

/**
 * A second of everything at random; what happened is in the seed. Every row has it: {@code SoakIT}
 * and {@code ChaosIT} are long.
 */
public abstract class SoakContract extends NioContract {

  private static final long DURATION_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int LARGEST = 200_000;

  @RegisterExtension final Seed seeds = new Seed();

  /** Nothing is opened yet. */
  protected SoakContract() {}

  @Test
  void blockingStreamsKeepEveryByteUnderRandomTraffic(TestReporter reporter) throws Exception {
    long seed = seeds.value();
    List<Background<Long>> writers = new ArrayList<>();
    List<Background<Long>> readers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Pair pair = i % 2 == 0 ? net().settledPair() : net().freshPair();
      ThreadKind kind = i < 2 ? ThreadKind.PLATFORM : ThreadKind.VIRTUAL;
      long there = seed + 2L * i;
      long back = there + 1;
      writers.add(Background.call(kind, () -> write(pair.client(), there)));
      writers.add(Background.call(kind, () -> write(pair.server(), back)));
      readers.add(Background.call(kind, () -> readToEnd(pair.server(), there)));
      readers.add(Background.call(kind, () -> readToEnd(pair.client(), back)));
    }

    Background.awaitAll(Stream.concat(readers.stream(), writers.stream()).toList());
    long total = 0;
    for (int i = 0; i < writers.size(); i++) {
      long written = writers.get(i).result();
      assertThat(readers.get(i).result()).as("stream %d of seed %d", i, seed).isEqualTo(written);
      total += written;
    }
    reporter.publishEntry("bytes", Long.toString(total));
  }

  @Test
  void selectedStreamsKeepEveryByteUnderRandomTraffic(TestReporter reporter) throws Exception {
    long seed = seeds.value();
    Selector selector = net().selector();
    long end = System.nanoTime() + DURATION_NANOS;
    List<RandomEnd> ends = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Pair pair = i % 2 == 0 ? net().settledPair() : net().freshPair();
      pair.configureBlocking(false);
      long there = seed + 2L * i;
      long back = there + 1;
      ends.add(new RandomEnd(pair.client(), selector, there, back, end));
      ends.add(new RandomEnd(pair.server(), selector, back, there, end));
    }

    while (ends.stream().anyMatch(one -> !one.isDone())) {
      int n =
          selector.select(
              key -> ((RandomEnd) key.attachment()).step(key), Patience.DEADLINE.toMillis());
      assertThat(n).as("ready streams of seed %d", seed).isPositive();
    }

    for (int i = 0; i < ends.size(); i += 2) {
      assertThat(ends.get(i).written()).isEqualTo(ends.get(i + 1).read());
      assertThat(ends.get(i + 1).written()).isEqualTo(ends.get(i).read());
    }
    reporter.publishEntry(
        "bytes", Long.toString(ends.stream().mapToLong(RandomEnd::written).sum()));
  }

  private static long write(SocketChannel channel, long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    Tape tape = new Tape(seed);
    long end = System.nanoTime() + DURATION_NANOS;
    while (System.nanoTime() - end < 0) {
      ByteBuffer source = tape.next(randomSize(random));
      if (random.nextInt(8) == 0) {
        ByteBuffer[] pieces = {source.slice(0, source.limit() / 3), source};
        source.position(source.limit() / 3);
        while (source.hasRemaining()) {
          channel.write(pieces);
        }
      } else {
        Bytes.write(channel, source);
      }
      if (random.nextInt(50) == 0) {
        LockSupport.parkNanos(random.nextInt(3_000_000));
      }
    }
    channel.shutdownOutput();
    return tape.position();
  }

  private static long readToEnd(SocketChannel channel, long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(~seed);
    Tape tape = new Tape(seed);
    ByteBuffer heap = ByteBuffer.allocate(LARGEST);
    ByteBuffer direct = ByteBuffer.allocateDirect(LARGEST);
    while (true) {
      ByteBuffer target = random.nextBoolean() ? heap : direct;
      target.clear().limit(randomSize(random));
      if (channel.read(target) < 0) {
        return tape.position();
      }
      tape.verify(target.flip());
      if (random.nextInt(50) == 0) {
        LockSupport.parkNanos(random.nextInt(3_000_000));
      }
    }
  }

  private static int randomSize(SplittableRandom random) {
    return random.nextInt(1, 2 + random.nextInt(1, LARGEST >> random.nextInt(16)));
  }

  /** A non-blocking end that writes until the time is up and reads until the end of the stream. */
  private static final class RandomEnd {
    private final SplittableRandom random;
    private final Tape outbound;
    private final Tape inbound;
    private final long end;
    private final ByteBuffer in = ByteBuffer.allocate(LARGEST);
    private ByteBuffer out = ByteBuffer.allocate(0);
    private boolean outputDone;
    private boolean inputDone;

    RandomEnd(SocketChannel channel, Selector selector, long writes, long reads, long end)
        throws IOException {
      this.random = new SplittableRandom(writes);
      this.outbound = new Tape(writes);
      this.inbound = new Tape(reads);
      this.end = end;
      channel.register(selector, SelectionKey.OP_READ | SelectionKey.OP_WRITE, this);
    }

    boolean isDone() {
      return outputDone && inputDone;
    }

    long written() {
      return outbound.position();
    }

    long read() {
      return inbound.position();
    }

    void step(SelectionKey key) {
      try {
        SocketChannel channel = (SocketChannel) key.channel();
        if (key.isReadable()) {
          read(channel);
        }
        if (key.isWritable() && !outputDone) {
          write(channel);
        }
        key.interestOps(
            (inputDone ? 0 : SelectionKey.OP_READ) | (outputDone ? 0 : SelectionKey.OP_WRITE));
      } catch (IOException e) {
        throw new AssertionError("A stream failed", e);
      }
    }

    private void read(SocketChannel channel) throws IOException {
      in.clear().limit(randomSize(random));
      inputDone = channel.read(in) < 0;
      inbound.verify(in.flip());
    }

    private void write(SocketChannel channel) throws IOException {
      if (!out.hasRemaining()) {
        if (System.nanoTime() - end > 0) {
          channel.shutdownOutput();
          outputDone = true;
          return;
        }
        out = outbound.next(randomSize(random));
      }
      channel.write(out);
    }
  }
}
