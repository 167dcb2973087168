package org.slipstream.rdma;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.slipstream.rdma.verbs.DeviceContext;

/** What one-sided memory has on each device, made when it is first needed. Safe for any thread. */
final class MemoryDevices {
  /** By the addresses of the devices. Guarded by this. */
  private final Map<Long, MemoryDevice> all = new HashMap<>();

  private boolean closed;

  synchronized MemoryDevice of(DeviceContext context) throws IOException {
    if (closed) {
      throw new IOException("the process leaves");
    }
    MemoryDevice device = all.get(context.address());
    if (device == null) {
      device = new MemoryDevice(context);
      all.put(context.address(), device);
    }
    return device;
  }

  /** A device is gone; its queue pairs are closed already. */
  synchronized void gone(long address) {
    MemoryDevice device = all.remove(address);
    if (device != null) {
      device.close();
    }
  }

  /** After all queue pairs. */
  synchronized void close() {
    closed = true;
    all.values().forEach(MemoryDevice::close);
    all.clear();
  }
}
