package org.slipstream.provider.nio;

import java.nio.channels.SelectionKey;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The keys that selectors have made for one channel and not flushed. Any thread. */
final class LiveKeys {
  /**
   * A registration of the channel.
   *
   * @param key what the program has
   * @param kernelKey of the private JDK selector
   */
  private record LiveKey(SelectionKey key, SelectionKey kernelKey) {}

  private final List<LiveKey> keys = new CopyOnWriteArrayList<>();

  void add(SelectionKey key, SelectionKey kernelKey) {
    keys.add(new LiveKey(key, kernelKey));
  }

  void remove(SelectionKey key) {
    keys.removeIf(live -> live.key().equals(key));
  }

  /**
   * Keys that were cancelled but not flushed still have valid kernel keys, for which the kernel's
   * channel would refuse to become blocking.
   */
  void forgetCancelled() {
    for (LiveKey live : keys) {
      if (!live.key().isValid()) {
        live.kernelKey().cancel();
      }
    }
  }
}
