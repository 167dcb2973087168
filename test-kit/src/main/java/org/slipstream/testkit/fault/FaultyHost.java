package org.slipstream.testkit.fault;

import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.TransportSettings;

/** Shows the core our sessions in the place of those that work. */
final class FaultyHost implements TransportHost {
  private final TransportHost core;
  private final FaultySessions sessions;

  FaultyHost(TransportHost core, FaultySessions sessions) {
    this.core = core;
    this.sessions = sessions;
  }

  @Override
  public ProcessId processId() {
    return core.processId();
  }

  @Override
  public Reactor reactor() {
    return core.reactor();
  }

  @Override
  public MemoryBudget budget() {
    return core.budget();
  }

  @Override
  public TransportSettings settings() {
    return core.settings();
  }

  @Override
  public SocketChannel openSocketChannel(StandardProtocolFamily family) throws IOException {
    return core.openSocketChannel(family);
  }

  @Override
  public ServerSocketChannel openServerSocketChannel(StandardProtocolFamily family)
      throws IOException {
    return core.openServerSocketChannel(family);
  }

  @Override
  public boolean hasAcceptedFrom(InetAddress client) {
    return core.hasAcceptedFrom(client);
  }

  @Override
  public void sessionOpened(Session session) {
    core.sessionOpened(sessions.wrap(session, core.processId()));
  }

  @Override
  public void frameReceived(Session session, ByteBuffer frame) throws IOException {
    core.frameReceived(sessions.wrap(session, core.processId()), frame);
  }

  @Override
  public void sessionLost(Session session, String cause) {
    core.sessionLost(sessions.lost(session, core.processId()), cause);
  }

  @Override
  public String inspect(String question) {
    return core.inspect(question);
  }

  @Override
  public void warn(String sentence) {
    core.warn(sentence);
  }
}
