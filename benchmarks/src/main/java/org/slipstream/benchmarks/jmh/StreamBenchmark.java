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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.slipstream.benchmarks.jcstress.HeapPeer;

/** What the semantics of a stream cost on top of the ring: locks, states, switches, flags. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class StreamBenchmark {
  private static final int RING_BYTES = 256 * 1024;

  /** Bytes of a message. */
  @Param({"64", "4096", "65536"})
  public int size;

  private final HeapPeer peer = new HeapPeer(RING_BYTES);
  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private ByteBuffer answer = buffer;

  /** Makes the benchmark. */
  public StreamBenchmark() {}

  /** Makes the buffers. */
  @Setup(Level.Trial)
  public void open() {
    buffer = ByteBuffer.allocateDirect(size);
    answer = ByteBuffer.allocateDirect(size);
  }

  /**
   * Closes the stream.
   *
   * @throws IOException never
   */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    peer.stream().close(false);
  }

  /**
   * The stream writes, the bare ring at the other end answers, the stream reads.
   *
   * @return bytes read
   * @throws IOException never
   */
  @Benchmark
  public int pingPong() throws IOException {
    peer.stream().write(buffer.clear(), false);
    peer.receive(answer.clear());
    peer.send(answer.flip());
    return peer.stream().read(buffer.clear(), false, 0);
  }

  /**
   * A non-blocking read of nothing.
   *
   * @return 0
   * @throws IOException never
   */
  @Benchmark
  public int emptyRead() throws IOException {
    return peer.stream().read(buffer.clear(), false, 0);
  }
}
