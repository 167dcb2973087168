package org.slipstream.ntb;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Session;

/**
 * A process that has adapters and no usable cluster key: it announces its listeners, so that peers
 * that have one know why the two do not meet, and does nothing else. It hears no message, so that a
 * peer without a key gets no session from it either.
 */
final class RefusingEndpoint implements Endpoint {
  private final List<Fabric> fabrics;
  private final Announcements announcements;

  RefusingEndpoint(ProcessId process, List<Fabric> fabrics) {
    this.fabrics = List.copyOf(fabrics);
    this.announcements =
        new Announcements(
            fabrics,
            (fabric, address) ->
                Advertisement.withoutKey(process, fabric.inbox(), address.getAddress()));
  }

  @Override
  public Closeable announce(InetSocketAddress address) throws IOException {
    return announcements.add(address, false);
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
    announcements.close();
    for (Fabric fabric : fabrics) {
      fabric.close();
    }
  }
}
