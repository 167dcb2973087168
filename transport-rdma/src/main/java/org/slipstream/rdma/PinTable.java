package org.slipstream.rdma;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The ranges of memory that are known; few enough to look at each. With the lock of the cache. */
final class PinTable {
  private static final int PINS = 256;

  private final @Nullable Pin[] pins = new Pin[PINS];

  /** Returns where a range is known of which this is a view, best if it is registered; or null. */
  @Nullable Pin covering(MemorySegment memory) {
    Pin best = null;
    for (Pin each : pins) {
      if (each != null && (best == null || best.state != Pin.State.READY) && each.covers(memory)) {
        best = each;
      }
    }
    return best;
  }

  /** Returns one that has to go before another one can be added; null if there is room. */
  @Nullable Pin oneTooMany() {
    Pin first = null;
    for (Pin each : pins) {
      if (each == null) {
        return null;
      }
      if (each.state != Pin.State.ASKED && (first == null || goesBefore(each, first))) {
        first = each;
      }
    }
    return first;
  }

  /** Returns whether there was room. */
  boolean add(Pin pin) {
    for (int i = 0; i < PINS; i++) {
      if (pins[i] == null) {
        pins[i] = pin;
        return true;
      }
    }
    return false; // the registration of each is under way
  }

  void remove(Pin pin) {
    for (int i = 0; i < PINS; i++) {
      if (pin.equals(pins[i])) {
        pins[i] = null;
      }
    }
  }

  /** What is not registered goes first: it costs nothing to see it again. */
  private static boolean goesBefore(Pin one, Pin other) {
    return (one.region == null) == (other.region == null)
        ? one.use() < other.use()
        : one.region == null;
  }

  /** Of those that are registered, the one that was used longest ago; or null. */
  @Nullable Pin oldest() {
    Pin oldest = null;
    for (Pin each : pins) {
      if (each != null && each.region != null && (oldest == null || each.use() < oldest.use())) {
        oldest = each;
      }
    }
    return oldest;
  }

  /** Those that are registered, and that can be used no more. */
  List<Pin> abandoned() {
    List<Pin> found = new ArrayList<>();
    for (Pin each : pins) {
      if (each != null && each.region != null && each.isAbandoned()) {
        found.add(each);
      }
    }
    return found;
  }

  List<Pin> all() {
    List<Pin> found = new ArrayList<>();
    for (Pin each : pins) {
      if (each != null) {
        found.add(each);
      }
    }
    return found;
  }
}
