package org.slipstream.rdma;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.cm.CmId;

/**
 * Where this process listens by rdma_cm. A listener whose device went away looks for it, until it
 * is back or nobody wants it any more. Event thread only.
 */
final class Listeners {
  private static final System.Logger LOG = System.getLogger("org.slipstream.rdma");
  private static final int BACKLOG = 64;

  /** A device that went away is looked for so often, while somebody listened on it. */
  private static final long DEVICE_NS = 2_000_000_000L;

  private final EventThread events;
  private final RdmaSettings settings;
  private final Consumer<CmId> bound;
  private final Map<InetSocketAddress, Listening> all = new HashMap<>();

  /** Several listeners of the program may share an address (SO_REUSEPORT). */
  private static final class Listening {
    @Nullable CmId id;
    int users = 1;

    Listening(@Nullable CmId id) {
      this.id = id;
    }
  }

  /**
   * Makes an empty set.
   *
   * @param events the thread
   * @param settings where iWARP listens
   * @param bound told of each identifier that listens
   */
  Listeners(EventThread events, RdmaSettings settings, Consumer<CmId> bound) {
    this.events = events;
    this.settings = settings;
    this.bound = bound;
  }

  /** Returns whether rdma_cm listens; if not, streams accepted there are not reached by RDMA. */
  boolean listen(InetSocketAddress address) {
    Listening there = all.get(address);
    if (there != null) {
      there.users++;
      return there.id != null;
    }
    CmId id = open(address);
    all.put(address, new Listening(id));
    return id != null;
  }

  private @Nullable CmId open(InetSocketAddress address) {
    try {
      CmId id = address.getAddress().isAnyLocalAddress() ? openForAll(address) : openOn(address);
      bound.accept(id);
      return id;
    } catch (IOException e) {
      LOG.log(Level.DEBUG, () -> "No RDMA listener at " + address + ": " + e.getMessage());
      return null;
    }
  }

  private CmId openOn(InetSocketAddress address) throws IOException {
    CmId id = bind(address);
    if (id.isOn(0) || !id.device().isIwarp()) {
      return listen(id);
    }
    id.close();
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

  void unlisten(InetSocketAddress address) {
    Listening there = all.get(address);
    if (there != null && --there.users == 0) {
      all.remove(address);
      if (there.id != null) {
        there.id.close();
      }
    }
  }

  void unlistenAll() {
    ids().forEach(CmId::close);
    all.clear();
  }

  /** The identifiers that listen. */
  Stream<CmId> ids() {
    return all.values().stream().map(l -> l.id).filter(Objects::nonNull);
  }

  /** Closes those on a device, and looks for it from now on. */
  void deviceGone(long device) {
    for (Map.Entry<InetSocketAddress, Listening> entry : all.entrySet()) {
      Listening there = entry.getValue();
      if (there.id != null && there.id.isOn(device)) {
        there.id.close();
        there.id = null;
        lookAgain(entry.getKey(), there);
      }
    }
  }

  private void lookAgain(InetSocketAddress address, Listening there) {
    events.schedule(
        DEVICE_NS,
        () -> {
          if (there.equals(all.get(address)) && there.id == null) {
            there.id = open(address);
            if (there.id == null) {
              lookAgain(address, there);
            }
          }
        });
  }
}
