package org.slipstream.benchmarks.jcstress;

import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.InterruptScope;
import org.slipstream.core.stream.LateControlBytes;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamHost;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.core.wait.LoadSensor;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.transport.Link;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/** The process of one stream under stress: never waits, and counts links that come back. */
final class StubHost implements StreamHost, InterruptScope, StreamLink.LinkControl {
  private static final LoadSensor SENSOR = new LoadSensor(1);
  static final Session NO_PEER = new NoPeer();

  private int unused;

  /** What the stream of this host is joined by. */
  StreamLink link(HeapLink link, byte[] nonce) {
    return new StreamLink(NO_PEER, 1, 2, link.window(), link, nonce, this);
  }

  /** How often the link was given back. */
  int unused() {
    return unused;
  }

  @Override
  public void linkUnused(StreamLink unusedLink) {
    unused++;
    unusedLink.link().release();
  }

  @Override
  public void sendCreditNotice(StreamLink starved) {
    // No thread sleeps.
  }

  @Override
  public void askToLook(StreamLink silent) {
    // The peer reads.
  }

  @Override
  public void linkFailed(StreamLink dead) {
    // Memory of one process does not fail.
  }

  @Override
  public void sendRevoke(StreamLink poor) {
    // All of the window is committed.
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
  public void eligible(Stream young) {
    // It has its link.
  }

  @Override
  public void closed(Stream ended) {
    // In no table.
  }

  @Override
  public void linger(SocketChannel tcp, @Nullable ByteBuffer unsent, LateControlBytes late) {
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
  private static final class NoPeer implements Session {
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
      // No peer listens.
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
