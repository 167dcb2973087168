package org.slipstream.core.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.slipstream.core.wait.WaitClock;

/** A stream that does not block, and its peer; for the tests of event loops in other packages. */
public final class RingPeer implements AutoCloseable {
  private final Bench bench;

  private RingPeer(Bench bench) {
    this.bench = bench;
  }

  /** A stream without a link. */
  public static RingPeer withoutLink() throws IOException {
    return new RingPeer(Bench.server().nonBlocking());
  }

  /** A stream whose peer sends through the ring; nothing is unread. */
  public static RingPeer receiving() throws IOException {
    Bench bench = Bench.server().nonBlocking().attached();
    bench.peerSwitchesAt(0);
    bench.toRing("x");
    bench.readFully(1);
    return new RingPeer(bench);
  }

  /**
   * A stream that sends through a ring, which is full; its peer has not read the switch marker.
   *
   * @param clock by which the stream bears that
   */
  public static RingPeer sendingToAFullRing(WaitClock clock) throws IOException {
    Bench bench = Bench.client(clock).nonBlocking().attached();
    ByteBuffer much = ByteBuffer.allocate(2 * Bench.RING);
    while (bench.stream.write(much, false) > 0) {
      // until the ring takes no more
    }
    return new RingPeer(bench);
  }

  /** The stream under test. */
  public Stream stream() {
    return bench.stream;
  }

  /** The peer sends through the ring, and rings the doorbell if it has to. */
  public void send(String text) throws IOException {
    bench.toRing(text);
  }

  /** Bytes that the kernel has for the stream. */
  public int unreadByKernel() throws IOException {
    return bench.stream.tcp().socket().getInputStream().available();
  }

  /** Reads so much. */
  public void read(int characters) {
    bench.readFully(characters);
  }

  /** How often the peer rang the doorbell. */
  public int doorbells() {
    return bench.signalled.get();
  }

  /** The peer takes everything out of the ring. */
  public void drain() throws IOException {
    bench.fromRing();
  }

  @Override
  public void close() throws IOException {
    bench.close();
  }
}
