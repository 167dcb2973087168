package org.slipstream.provider.nio;

import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import org.slipstream.core.stream.HotStreams;
import org.slipstream.core.stream.Readiness;

/**
 * The keys whose rings are looked at directly. Belongs to whoever holds the selector's monitor.
 *
 * <p>A key leaves only by arming and looking once more, so no byte is ever waited for that has
 * come.
 */
final class HotKeys {
  private final List<SlipstreamSelectionKey> keys = new ArrayList<>();

  /** Cold, but out of credit: looked at after every sleep. */
  private final List<SlipstreamSelectionKey> starved = new ArrayList<>();

  boolean isEmpty() {
    return keys.isEmpty();
  }

  int size() {
    return keys.size();
  }

  SlipstreamSelectionKey get(int i) {
    return keys.get(i);
  }

  void add(SlipstreamSelectionKey key) {
    Readiness r = key.readiness();
    if (!key.hot && r != null && r.isLinked()) {
      key.hot = true;
      key.idleLooks = 0;
      keys.add(key);
    }
  }

  void remove(SlipstreamSelectionKey key) {
    if (key.hot) {
      key.hot = false;
      keys.remove(key);
    }
    if (key.starved) {
      key.starved = false;
      starved.remove(key);
    }
  }

  /** The ready operations of a key, given what the kernel reported for its anchor. */
  static int evaluate(SlipstreamSelectionKey key, int innerReady) {
    Readiness r = key.readiness();
    if (r == null || !r.isLinked()) {
      return innerReady;
    }
    int interest = key.interest();
    int ops = innerReady & ~(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    if ((interest & SelectionKey.OP_READ) != 0) {
      boolean anchorReadable = (innerReady & SelectionKey.OP_READ) != 0;
      if (r.readable()) {
        ops |= SelectionKey.OP_READ;
        key.bellReported |= anchorReadable; // drained just before the next arming
        if (!anchorReadable) {
          r.foundByLooking();
        }
      } else if (anchorReadable) {
        key.bellReported = false;
        if (r.absorb()) {
          ops |= SelectionKey.OP_READ;
        }
      }
    }
    if ((interest & SelectionKey.OP_WRITE) != 0) {
      if (r.isOutboundRing() ? r.writable() : (innerReady & SelectionKey.OP_WRITE) != 0) {
        ops |= SelectionKey.OP_WRITE;
      }
    }
    return ops;
  }

  boolean anyReady() {
    for (int i = 0; i < keys.size(); i++) {
      if (isReady(keys.get(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isReady(SlipstreamSelectionKey key) {
    Readiness r = key.readiness();
    int interest = key.interest();
    return r != null
        && (((interest & SelectionKey.OP_READ) != 0 && r.readable())
            || ((interest & SelectionKey.OP_WRITE) != 0 && r.writable()));
  }

  /** Whether data could come by itself: somebody is waited for on a ring. */
  boolean worthSpinning() {
    for (int i = 0; HotStreams.fewEnoughToSpin(keys.size()) && i < keys.size(); i++) {
      SlipstreamSelectionKey key = keys.get(i);
      Readiness r = key.readiness();
      if (r != null && r.isInboundRing() && (key.interest() & SelectionKey.OP_READ) != 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * Arms all keys and looks at each once more.
   *
   * @param maxNs the longest sleep that the caller wants
   * @return how long it may sleep; 0 if something came
   */
  long cool(long maxNs) {
    long limit = maxNs;
    while (!keys.isEmpty()) {
      SlipstreamSelectionKey key = keys.getLast();
      long l = coolOne(key);
      if (l == 0) {
        return 0;
      }
      limit = Math.min(limit, l);
      keys.removeLast();
      key.hot = false;
    }
    return limit;
  }

  /** Keys that nobody wrote to for long make the busy selector's round longer for nothing. */
  void coolIdle() {
    int patience = HotStreams.patience(keys.size());
    for (int i = keys.size() - 1; i >= 0; i--) {
      SlipstreamSelectionKey key = keys.get(i);
      if (!key.isValid() || (key.idleLooks > patience && coolOne(key) != 0)) {
        key.hot = false;
        SlipstreamSelectionKey last = keys.removeLast();
        if (last != key) {
          keys.set(i, last);
        }
      }
    }
  }

  private long coolOne(SlipstreamSelectionKey key) {
    Readiness r = key.readiness();
    if (r == null || !key.isValid() || !r.isLinked()) {
      return Long.MAX_VALUE;
    }
    int interest = key.interest();
    long limit = Long.MAX_VALUE;
    if ((interest & SelectionKey.OP_READ) != 0) {
      if (key.bellReported) {
        key.bellReported = false;
        if (r.absorb()) {
          return 0;
        }
      }
      if (!r.armForRead()) {
        return 0;
      }
    }
    if ((interest & SelectionKey.OP_WRITE) != 0 && r.isOutboundRing()) {
      limit = r.armForSpace();
      if (limit != 0 && !key.starved) {
        key.starved = true;
        starved.add(key);
      }
    }
    return limit;
  }

  /** After a sleep: keys that were out of credit are looked at again. */
  void rewarm() {
    for (SlipstreamSelectionKey key : starved) {
      key.starved = false;
      if (key.isValid()) {
        add(key);
      }
    }
    starved.clear();
  }
}
