package org.slipstream.core.session;

import java.io.Closeable;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.Session;

/** Reaches every address, and answers at once with the processes that the test puts here. */
class FakeEndpoint implements Endpoint {
  /** They announce each address that is looked for. */
  final List<Session> announcers = new ArrayList<>();

  /** They listen somewhere. */
  final List<Session> listeners = new ArrayList<>();

  @Override
  public Closeable announce(InetSocketAddress address) {
    return () -> {};
  }

  @Override
  public boolean reaches(InetSocketAddress local, InetSocketAddress remote) {
    return true;
  }

  @Override
  public int findPeers(InetSocketAddress remote, Consumer<Session> answer, Runnable none) {
    announcers.forEach(answer);
    return announcers.size();
  }

  @Override
  public int findListeners(int most, Consumer<Session> answer) {
    listeners.forEach(answer);
    return listeners.size();
  }

  @Override
  public void close() {}
}
