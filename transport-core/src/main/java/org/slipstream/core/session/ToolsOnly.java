package org.slipstream.core.session;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.Session;

/**
 * A transport that the settings do not name, and that carries no byte therefore, but by which
 * {@code slipstream ps} finds this process.
 */
final class ToolsOnly implements Endpoint {
  private final Endpoint endpoint;

  ToolsOnly(Endpoint endpoint) {
    this.endpoint = endpoint;
  }

  @Override
  public Closeable announce(InetSocketAddress address) {
    endpoint.beVisible();
    return () -> {};
  }

  @Override
  public void beVisible() {
    endpoint.beVisible();
  }

  @Override
  public boolean reaches(InetSocketAddress local, InetSocketAddress remote) {
    return false;
  }

  @Override
  public int findPeers(InetSocketAddress remote, Consumer<Session> answer, Runnable none) {
    return 0;
  }

  @Override
  public void close() throws IOException {
    endpoint.close();
  }
}
