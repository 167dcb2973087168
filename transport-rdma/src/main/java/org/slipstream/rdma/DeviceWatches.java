package org.slipstream.rdma;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.slipstream.rdma.cm.CmId;

/**
 * One identifier for each device that rdma_cm holds open: it keeps a device open that was used
 * once, kernels may wait for that when the device goes, and only an identifier is told. Event
 * thread only.
 */
final class DeviceWatches {
  private static final System.Logger LOG = System.getLogger("org.slipstream.rdma");

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
      watch.close();
    }
  }

  Stream<CmId> ids() {
    return all.values().stream();
  }

  void close() {
    all.values().forEach(CmId::close);
    all.clear();
  }
}
