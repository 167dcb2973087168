package org.slipstream.rdma;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.cm.BoundId;
import org.slipstream.rdma.verbs.NativeCallException;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MessageCode;

/**
 * Where this process listens by rdma_cm. A listener whose device went away looks for it, until it
 * is back or no listener needs it any more. One that was refused (no device has the address yet, or
 * an identifier that is on its way out has the port) is tried again ever more rarely. Event thread
 * only.
 */
final class Listeners implements RailListeners.Listening {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.rdma");

  /** A device that went away is looked for so often, while a listener was on it. */
  static final long DEVICE_NS = 2_000_000_000L;

  /** What was refused at first is tried again after {@link #DEVICE_NS}, twice that, up to this. */
  static final long RARELY_NS = 32 * DEVICE_NS;

  /** Makes an identifier that listens. */
  @FunctionalInterface
  interface Opener {
    BoundId open(InetSocketAddress address) throws IOException;
  }

  /** Runs something later, on the same thread. */
  @FunctionalInterface
  interface Scheduler {
    void schedule(long delayNanos, Runnable task);
  }

  private final Opener opener;
  private final Scheduler scheduler;
  private final Map<InetSocketAddress, Listening> all = new HashMap<>();

  /** Several listeners of the program may share an address (SO_REUSEPORT). */
  private static final class Listening {
    @Nullable BoundId id;
    int users = 1;

    /** It listened at least once, so that there is a device for it. */
    boolean hadDevice;

    boolean reported;
    long waitNanos = DEVICE_NS;
  }

  /**
   * Makes an empty set.
   *
   * @param opener asks rdma_cm
   * @param scheduler the event thread
   */
  Listeners(Opener opener, Scheduler scheduler) {
    this.opener = opener;
    this.scheduler = scheduler;
  }

  /** Returns whether rdma_cm listens; if not, streams accepted there are not reached by RDMA. */
  @Override
  public boolean listen(InetSocketAddress address) {
    Listening there = all.get(address);
    if (there != null) {
      there.users++;
      return there.id != null;
    }
    there = new Listening();
    all.put(address, there);
    openOrLookAgain(address, there);
    return there.id != null;
  }

  private void openOrLookAgain(InetSocketAddress address, Listening there) {
    try {
      there.id = opener.open(address);
      there.hadDevice = true;
      there.waitNanos = DEVICE_NS;
      if (there.reported) {
        LOG.log(
            Level.INFO, () -> MessageCode.RDMA_LISTENS.text("RDMA listens at " + address + " now"));
        there.reported = false;
      }
    } catch (IOException e) {
      report(address, there, e);
      lookAgain(address, there);
    }
  }

  /** Once; and not aloud if no device has the address, as many hosts have some of these. */
  private static void report(InetSocketAddress address, Listening there, IOException why) {
    boolean noDevice = why instanceof NativeCallException n && n.isNoDevice();
    if (!there.reported) {
      LOG.log(
          noDevice ? Level.DEBUG : Level.INFO,
          () ->
              MessageCode.RDMA_NO_LISTENER.text(
                  "No RDMA listener at " + address + " yet: " + why.getMessage()));
      there.reported = !noDevice;
    }
  }

  private void lookAgain(InetSocketAddress address, Listening there) {
    long wait = there.waitNanos;
    if (!there.hadDevice) {
      there.waitNanos = Math.min(2 * wait, RARELY_NS);
    }
    scheduler.schedule(
        wait,
        () -> {
          if (there.equals(all.get(address)) && there.id == null) {
            openOrLookAgain(address, there);
          }
        });
  }

  @Override
  public void unlisten(InetSocketAddress address) {
    Listening there = all.get(address);
    if (there != null && --there.users == 0) {
      all.remove(address);
      if (there.id != null) {
        there.id.close();
      }
    }
  }

  void unlistenAll() {
    ids().forEach(BoundId::close);
    all.clear();
  }

  /** The identifiers that listen. */
  Stream<BoundId> ids() {
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
}
