package org.slipstream.memory;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.session.ControlThread;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.TransportSettings;

/**
 * What a domain is to its transport: a process with a control thread and an entry in the runtime
 * directory of its own, whether or not the streams of the program are accelerated.
 */
final class DomainHost implements TransportHost {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.memory");

  /** A domain has no rings. */
  private static final int NO_RING_BYTES = 16 * 1024;

  /** What the sessions between hosts may use: some hundred KiB each. */
  private static final long SESSIONS_BYTES = 64L << 20;

  private final ProcessId id = ProcessId.random();
  private final SelectorProvider jdk;
  private final ControlThread control;
  private final MemoryBudget budget = new MemoryBudget(SESSIONS_BYTES);
  private final TransportSettings settings;

  /** Written before the first session; read by the reactor. */
  private volatile @Nullable PeerFrames frames;

  DomainHost(SelectorProvider jdk, ControlThread control, @Nullable String directory) {
    this.jdk = jdk;
    this.control = control;
    this.settings = new TransportSettings(directory, NO_RING_BYTES);
  }

  void deliverTo(PeerFrames receiver) {
    frames = receiver;
  }

  @Override
  public ProcessId processId() {
    return id;
  }

  @Override
  public Reactor reactor() {
    return control;
  }

  @Override
  public MemoryBudget budget() {
    return budget;
  }

  @Override
  public TransportSettings settings() {
    return settings;
  }

  @Override
  public SocketChannel openSocketChannel(StandardProtocolFamily family) throws IOException {
    return jdk.openSocketChannel(family);
  }

  @Override
  public ServerSocketChannel openServerSocketChannel(StandardProtocolFamily family)
      throws IOException {
    return jdk.openServerSocketChannel(family);
  }

  @Override
  public void sessionOpened(Session session) {
    LOG.log(Level.DEBUG, () -> "Session with " + session.peer());
  }

  @Override
  public void frameReceived(Session session, ByteBuffer frame) throws IOException {
    PeerFrames receiver = frames;
    if (receiver == null) {
      throw new IOException("The domain is not open yet");
    }
    receiver.received(session, frame);
  }

  @Override
  public void sessionLost(Session session, String cause) {
    LOG.log(Level.DEBUG, () -> "Session with " + session.peer() + " is over: " + cause);
    PeerFrames receiver = frames;
    if (receiver != null) {
      receiver.lost(session);
    }
  }

  /**
   * No streams are here: the tools find those of this process by its other entry, if it has one.
   */
  @Override
  public String inspect(String question) {
    return "{}";
  }
}
