package org.slipstream.benchmarks.jmh;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.slipstream.core.ring.Doorbell;
import org.slipstream.core.ring.RingConsumer;
import org.slipstream.core.ring.RingProducer;
import org.slipstream.testkit.transport.HeapLink;

/** One message into the ring and out of it again. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RingBenchmark {
  private static final int RING_BYTES = 256 * 1024;
  private static final Doorbell NO_DOORBELL = () -> true;

  /** Bytes of a message; up to 88 travel in the mailbox if there is an answer. */
  @Param({"8", "64", "256", "4096", "65536"})
  public int size;

  /** Whether the program's buffers lie outside the heap. */
  @Param({"true", "false"})
  public boolean direct;

  private RingProducer aOut;
  private RingConsumer aIn;
  private RingProducer bOut;
  private RingConsumer bIn;
  private ByteBuffer src;
  private ByteBuffer dst;
  private ByteBuffer[] pieces;

  /** Makes the benchmark; JMH calls {@link #open} before it is used. */
  public RingBenchmark() {
    // Replaced by open(), which knows the parameters.
    HeapLink.Pair pair = HeapLink.pair(RING_BYTES, RING_BYTES);
    aIn = new RingConsumer(pair.a(), pair.a().window());
    bIn = new RingConsumer(pair.b(), pair.b().window());
    aOut = new RingProducer(pair.a(), aIn);
    bOut = new RingProducer(pair.b(), bIn);
    src = ByteBuffer.allocate(0);
    dst = src;
    pieces = new ByteBuffer[] {src};
  }

  /** Opens the rings and makes the buffers. */
  @Setup(Level.Trial)
  public void open() {
    aIn.credit().open();
    bIn.credit().open();
    src = direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
    dst = direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
    pieces = new ByteBuffer[4];
    for (int i = 0; i < pieces.length; i++) {
      pieces[i] = src.slice(i * (size / 4), size / 4);
    }
  }

  /**
   * One way through the ring.
   *
   * @return bytes read
   * @throws IOException never
   */
  @Benchmark
  public int oneWay() throws IOException {
    aOut.write(src.clear(), NO_DOORBELL);
    return bIn.read(dst.clear());
  }

  /**
   * There and back: small messages take the mailbox.
   *
   * @return bytes read
   * @throws IOException never
   */
  @Benchmark
  public int pingPong() throws IOException {
    aOut.write(src.clear(), NO_DOORBELL);
    int n = bIn.read(dst.clear());
    bOut.write(dst.flip(), NO_DOORBELL);
    return n + aIn.read(src.clear());
  }

  /**
   * One way through the ring, gathered from four buffers.
   *
   * @return bytes read
   * @throws IOException never
   */
  @Benchmark
  public int gathered() throws IOException {
    for (ByteBuffer piece : pieces) {
      piece.clear();
    }
    aOut.write(pieces, 0, pieces.length, NO_DOORBELL);
    return bIn.read(dst.clear());
  }

  /**
   * A look into an empty ring.
   *
   * @return 0
   * @throws IOException never
   */
  @Benchmark
  public int emptyRead() throws IOException {
    return bIn.read(dst.clear());
  }
}
