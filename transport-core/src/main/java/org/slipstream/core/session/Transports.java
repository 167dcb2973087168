package org.slipstream.core.session;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slipstream.core.config.SlipstreamConfig;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Transport;
import org.slipstream.transport.TransportHost;

/**
 * The transports of one process, from their opening to the end of the process: they are opened
 * once, by the thread that starts Slipstream or by the control thread beside the program's first
 * socket. Listeners that are bound meanwhile are announced when they are there.
 */
final class Transports {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream");

  /** A listener waits so long for the transports; they take milliseconds. */
  private static final long OPENING_NS = 10_000_000_000L;

  /** So does the end of the JVM, which no transport may hold up. */
  private static final long LEAVING_NS = 500_000_000;

  private final TransportHost host;
  private final Reactor reactor;

  /** Filled by the thread that opens the transports, before {@link #opened}. */
  private final List<Endpoint> endpoints = new CopyOnWriteArrayList<>();

  private final CountDownLatch opened = new CountDownLatch(1);

  /** Written by the thread that leaves, read by the one that opens transports. */
  private volatile boolean left;

  /**
   * None are open yet.
   *
   * @param host of the transports
   * @param reactor of the process: it announces what could not wait for the transports
   */
  Transports(TransportHost host, Reactor reactor) {
    this.host = host;
    this.reactor = reactor;
  }

  /** Opens those that are available here, in the order of the settings. Called once. */
  void open(SlipstreamConfig config, Iterable<Transport> installed) {
    try {
      endpoints.addAll(Backends.open(config.transports(), installed, host));
    } finally {
      opened.countDown();
      if (left) {
        closeAll(); // the process leaves, and has not waited
      }
    }
  }

  /**
   * Those that are open.
   *
   * @return grows when they are opened
   */
  List<Endpoint> endpoints() {
    return endpoints;
  }

  /** Whether a stream has a chance: there are some, or they are being opened. */
  boolean someOrSoon() {
    return !endpoints.isEmpty() || opened.getCount() > 0;
  }

  /** Waits while they are opened, also if interrupted. Not for the control thread. */
  private boolean areOpenWithin(long nanos) {
    long end = System.nanoTime() + nanos;
    boolean interrupted = false;
    while (true) {
      try {
        boolean open = opened.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        return open;
      } catch (InterruptedException e) {
        interrupted = true; // to be opened takes milliseconds, and then the interrupt counts
      }
    }
  }

  /**
   * Says to other processes that this one listens; waits for transports that are being opened. A
   * failure is a line for the user and leaves the listener plain.
   *
   * @param address where
   * @return closed with the listener
   */
  Announcement announce(InetSocketAddress address) {
    return announce(address, OPENING_NS);
  }

  /**
   * Waits so long for the transports; on a machine that is slower, they hear of it later, and
   * streams that were accepted by then are carried too.
   */
  Announcement announce(InetSocketAddress address, long nanos) {
    Announcement announcement = new Announcement();
    if (areOpenWithin(nanos)) {
      announce(address, announcement);
    } else {
      reactor.execute(() -> announce(address, announcement)); // behind the task that opens them
    }
    return announcement;
  }

  private void announce(InetSocketAddress address, Announcement announcement) {
    for (Endpoint endpoint : endpoints) {
      try {
        announcement.add(endpoint.announce(address));
      } catch (IOException e) {
        host.warn("accepted streams stay on TCP: " + e.getMessage());
      }
    }
    announcement.completed();
  }

  /** Lets tools find this process; waits for transports that are being opened. Any thread. */
  void beVisible() {
    if (areOpenWithin(OPENING_NS)) {
      endpoints.forEach(Endpoint::beVisible);
    } else {
      reactor.execute(() -> endpoints.forEach(Endpoint::beVisible)); // as with a listener
    }
  }

  /** Removes what other processes see of this one. Idempotent. */
  void leave() {
    left = true;
    if (areOpenWithin(LEAVING_NS)) {
      closeAll();
    }
  }

  private void closeAll() {
    for (Endpoint endpoint : endpoints) {
      try {
        endpoint.close();
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "Leaving a transport", e);
      }
    }
  }
}
