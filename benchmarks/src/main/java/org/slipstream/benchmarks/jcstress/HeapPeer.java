package org.slipstream.benchmarks.jcstress;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.slipstream.core.ring.RingConsumer;
import org.slipstream.core.ring.RingProducer;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.testkit.transport.HeapLink;

/**
 * A stream that is on its ring in both directions, over a TCP connection without a kernel, and the
 * bare rings of its peer.
 */
public final class HeapPeer {
  private static final byte[] NONCE = new byte[StreamLink.MARK_BYTES];

  private final HeapLink link;
  private final Stream stream;
  private final RingProducer peerOut;
  private final RingConsumer peerIn;
  private final StubHost host = new StubHost();

  /** Over pooled memory, with a small ring. */
  HeapPeer() {
    this(Ends.link());
  }

  /**
   * Makes a stream and its peer.
   *
   * @param ringBytes size of each ring
   */
  public HeapPeer(int ringBytes) {
    this(HeapLink.pair(ringBytes, ringBytes));
  }

  private HeapPeer(HeapLink.Pair pair) {
    link = pair.a();
    peerIn = new RingConsumer(pair.b(), pair.b().window());
    peerOut = new RingProducer(pair.b(), peerIn);
    try {
      StubConnection tcp = new StubConnection();
      tcp.arrives(ByteBuffer.wrap(NONCE));
      tcp.configureBlocking(false);
      stream = new Stream(tcp, true, host, host);
      StreamLink joined = host.link(link, NONCE);
      joined.provePeer();
      peerIn.credit().open();
      joined.consumer().credit().open();
      peerOut.epochs().begin(0);
      stream.attach(joined);
      stream.nudge();
      read();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    if (!stream.status().isAccelerated()) {
      throw new AssertionError("The stream is not on its ring");
    }
  }

  /**
   * The stream.
   *
   * @return on its ring in both directions
   */
  public Stream stream() {
    return stream;
  }

  /**
   * The peer sends.
   *
   * @param src the bytes
   * @return how many were taken
   * @throws IOException the stream broke the protocol
   */
  public int send(ByteBuffer src) throws IOException {
    return peerOut.write(src, () -> true);
  }

  /**
   * The peer reads.
   *
   * @param dst receives the bytes
   * @return how many there were
   * @throws IOException the stream broke the protocol
   */
  public int receive(ByteBuffer dst) throws IOException {
    return peerIn.read(dst);
  }

  void read() {
    try {
      stream.read(ByteBuffer.allocate(8), false, 0);
    } catch (IOException e) {
      return; // closed meanwhile
    }
  }

  void write() {
    try {
      stream.write(ByteBuffer.allocate(8), false);
    } catch (IOException e) {
      return; // closed meanwhile
    }
  }

  /** What a selector does before it sleeps. */
  void look() {
    stream.readiness().armForRead();
  }

  void close() {
    try {
      stream.close(false);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** How often the link was given back. */
  int unused() {
    return host.unused();
  }

  boolean wasUsedAfterRelease() {
    return link.wasUsedAfterRelease();
  }
}
