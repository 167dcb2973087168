package org.slipstream.provider.nio;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The keys that selectors have made for one channel and not flushed. Any thread. */
final class LiveKeys {
  private final List<SlipstreamSelectionKey> keys = new CopyOnWriteArrayList<>();

  void add(SlipstreamSelectionKey registered) {
    keys.add(registered);
  }

  void remove(SlipstreamSelectionKey flushed) {
    keys.remove(flushed);
  }

  /**
   * Keys that were cancelled but not flushed still have valid kernel keys, for which the kernel's
   * channel would refuse to become blocking.
   */
  void forgetCancelled() {
    for (SlipstreamSelectionKey key : keys) {
      if (!key.isValid()) {
        key.watched().kernelKey().cancel();
      }
    }
  }
}
