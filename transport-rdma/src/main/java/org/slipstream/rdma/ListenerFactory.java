package org.slipstream.rdma;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.slipstream.rdma.cm.BoundId;
import org.slipstream.rdma.cm.CmId;
import org.slipstream.transport.LazyLogger;

/** Makes identifiers of rdma_cm that listen where programs do. Event thread only. */
final class ListenerFactory implements Listeners.Opener {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.rdma");

  /**
   * Requests that the kernel keeps for the event thread; what comes beyond them it drops without an
   * answer. As many as it allows, unless its max_backlog was changed: all peers of a server may
   * connect in the second in which it is back.
   */
  private static final int BACKLOG = 1024;

  private final EventThread events;
  private final RdmaSettings settings;
  private final Consumer<CmId> bound;

  /**
   * Makes one.
   *
   * @param events the thread
   * @param settings where iWARP listens
   * @param bound told of each identifier that listens
   */
  ListenerFactory(EventThread events, RdmaSettings settings, Consumer<CmId> bound) {
    this.events = events;
    this.settings = settings;
    this.bound = bound;
  }

  @Override
  public BoundId open(InetSocketAddress address) throws IOException {
    CmId id = address.getAddress().isAnyLocalAddress() ? openForAll(address) : openOn(address);
    bound.accept(id);
    return id;
  }

  private CmId openOn(InetSocketAddress address) throws IOException {
    CmId id = bind(address);
    if (id.isOn(0) || !id.device().isIwarp()) {
      return listen(id);
    }
    try {
      settings.requireTransport(id.device());
    } finally {
      id.close();
    }
    return listen(bind(settings.iwarp(address)));
  }

  /** Does not know the devices: an iWARP one refuses the port of the program's own listener. */
  private CmId openForAll(InetSocketAddress address) throws IOException {
    try {
      return listen(bind(address));
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Perhaps there is iWARP among the devices", e);
      return listen(bind(settings.iwarp(address)));
    }
  }

  private CmId bind(InetSocketAddress address) throws IOException {
    CmId id = new CmId(events.channel());
    try {
      id.bind(address);
      return id;
    } catch (IOException e) {
      id.close();
      throw e;
    }
  }

  private static CmId listen(CmId id) throws IOException {
    try {
      id.listen(BACKLOG);
      return id;
    } catch (IOException e) {
      id.close();
      throw e;
    }
  }
}
