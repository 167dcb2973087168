package org.slipstream.rdma;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.slipstream.rdma.cm.CmId;
import org.slipstream.transport.LazyLogger;

/**
 * One identifier for each device that rdma_cm holds open: it keeps a device open that was used
 * once, kernels may wait for that when the device goes, and only an identifier is told. Event
 * thread only.
 *
 * <p>That goes on as long as the process lives: an endpoint that is closed keeps its watches and
 * its thread, unless another one of the process watches the same devices.
 */
final class DeviceWatches {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.rdma");

  /** The watchers of a device, in this process. Guarded by itself. */
  private static final Map<Long, Set<DeviceWatches>> WATCHED = new HashMap<>();

  private final EventThread events;

  /** By the address of the device. */
  private final Map<Long, CmId> all = new HashMap<>();

  DeviceWatches(EventThread events) {
    this.events = events;
  }

  /** From now on the device of an identifier is watched. */
  void add(CmId bound) {
    if (bound.isOn(0)) {
      return; // listens on all devices
    }
    CmId watch = null;
    try {
      long device = bound.device().address();
      if (!all.containsKey(device)) {
        watch = new CmId(events.channel());
        SourcePorts.bindBeside(watch, bound);
        all.put(device, watch);
        synchronized (WATCHED) {
          WATCHED.computeIfAbsent(device, d -> new HashSet<>()).add(this);
        }
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "A device is not watched", e);
      if (watch != null) {
        watch.close();
      }
    }
  }

  /** The device is gone. */
  void remove(long device) {
    CmId watch = all.remove(device);
    if (watch != null) {
      forget(device);
      watch.close();
    }
  }

  private void forget(long device) {
    synchronized (WATCHED) {
      Set<DeviceWatches> watching = WATCHED.get(device);
      if (watching != null && watching.remove(this) && watching.isEmpty()) {
        WATCHED.remove(device);
      }
    }
  }

  /**
   * Gives the watches up if others of the process watch the same devices. Then {@link #close}
   * follows.
   *
   * @return false if this one has to go on
   */
  boolean areNeedless() {
    synchronized (WATCHED) {
      for (Long device : all.keySet()) {
        Set<DeviceWatches> watching = WATCHED.get(device);
        if (watching != null && watching.contains(this) && watching.size() == 1) {
          return false;
        }
      }
      all.keySet().forEach(this::forget);
      return true;
    }
  }

  /** Nothing is heard any more: what is watched here is not. */
  void lost() {
    all.keySet().forEach(this::forget);
  }

  Stream<CmId> ids() {
    return all.values().stream();
  }

  void close() {
    all.values().forEach(CmId::close);
    all.clear();
  }
}
