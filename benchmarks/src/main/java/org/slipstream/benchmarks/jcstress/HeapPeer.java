package org.slipstream.benchmarks.jcstress;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.RingConsumer;
import org.slipstream.core.ring.RingProducer;
import org.slipstream.core.stream.InterruptScope;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamHost;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.core.wait.LoadSensor;
import org.slipstream.transport.Link;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/**
 * A stream that is on its ring in both directions, over an anchor without a kernel, and the bare
 * rings of its peer.
 */
public final class HeapPeer implements StreamHost, InterruptScope, StreamLink.LinkControl {
  private static final byte[] NONCE = new byte[StreamLink.MARK_BYTES];
  private static final LoadSensor SENSOR = new LoadSensor(1);
  private static final Session NOBODY = new Nobody();

  private final HeapLink link;
  private final Stream stream;
  private final RingProducer peerOut;
  private final RingConsumer peerIn;
  private int unused;

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
    this(HeapLink.pair(ringBytes));
  }

  private HeapPeer(HeapLink.Pair pair) {
    link = pair.a();
    peerIn = new RingConsumer(pair.b(), pair.b().window());
    peerOut = new RingProducer(pair.b(), peerIn);
    try {
      StubAnchor anchor = new StubAnchor(NONCE);
      anchor.configureBlocking(false);
      stream = new Stream(anchor, true, this, this);
      StreamLink joined = new StreamLink(NOBODY, 1, 2, link.window(), link, NONCE, this);
      peerIn.open();
      joined.consumer().open();
      peerOut.beginTurn(0);
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
    return unused;
  }

  boolean wasUsedAfterRelease() {
    return link.wasUsedAfterRelease();
  }

  // -- what a stream needs -----------------------------------------------------------------------

  @Override
  public void linkUnused(StreamLink unusedLink) {
    unused++;
    unusedLink.link().release();
  }

  @Override
  public void sendCreditNotice(StreamLink starved) {
    // Nobody sleeps.
  }

  @Override
  public void linkFailed(StreamLink dead) {
    // Memory of one process does not fail.
  }

  @Override
  public void sendStandDown(StreamLink poor) {
    // All of the window is granted.
  }

  @Override
  public LoadSensor loadSensor() {
    return SENSOR;
  }

  @Override
  public int maxSpinNanos() {
    return 0;
  }

  @Override
  public void earned(Stream young) {
    // It has its link.
  }

  @Override
  public void closed(Stream ended) {
    // In no table.
  }

  @Override
  public void linger(SocketChannel anchor, @Nullable ByteBuffer unsent) {
    // A stub has no kernel behind it.
  }

  @Override
  public void begin() {
    // Never waits.
  }

  @Override
  public void end(boolean completed) {
    // Never waits.
  }

  @Override
  public boolean mustNotBlock() {
    return false;
  }

  /** The session of a link that needs none. */
  private static final class Nobody implements Session {
    @Override
    public ProcessId peer() {
      return new ProcessId(0, 0);
    }

    @Override
    public String transportName() {
      return "heap";
    }

    @Override
    public void send(ByteBuffer frame) {
      // Nobody listens.
    }

    @Override
    public Window allocateWindow() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Link join(Window own, ByteBuffer peerDescriptor) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void abort(String cause) {
      // Nothing to end.
    }

    @Override
    public boolean isOpen() {
      return true;
    }
  }
}
