package org.slipstream.rdma;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.TransportSettings;

/**
 * Which sessions of the process have a larger first ring: a few at a time, where memory is plenty.
 * Bulk data fills a small ring in a few microseconds of the wire, and then both ends wait for each
 * other; but a ring is pinned from the start, at both ends, and a server may have a thousand peers
 * (ADR 59).
 *
 * <p>Safe for any thread.
 */
final class FirstRings {
  /** Sessions with a larger first ring at a time. */
  static final int MOST = 4;

  /** They and the peers' take at most one part in so many of the memory limit. */
  private static final int SHARE = 8;

  /** Where less may be locked, each peer counts. */
  static final long LEAST_LOCKABLE = 64L << 20;

  private final TransportSettings settings;
  private final MemoryBudget budget;
  private final LongSupplier lockable;
  private final AtomicInteger taken = new AtomicInteger();

  /**
   * None is taken.
   *
   * @param settings have the sizes
   * @param budget of the process
   * @param lockable bytes that the process may lock; negative if that is not known
   */
  FirstRings(TransportSettings settings, MemoryBudget budget, LongSupplier lockable) {
    this.settings = settings;
    this.budget = budget;
    this.lockable = lockable;
  }

  /**
   * The {@code slipstream.ring.size} from which the first ring of a new session is counted.
   *
   * @return bytes; {@link #giveBack} must follow when the session is over
   */
  int take() {
    int usual = settings.ringBytes();
    int larger = settings.firstRingBytes();
    if (larger <= usual) {
      return usual;
    }
    long affordable = budget.limitBytes() / SHARE / larger;
    int most = (int) Math.min(MOST, affordable);
    if (taken.get() >= most || lockable.getAsLong() < LEAST_LOCKABLE) {
      return usual;
    }
    if (taken.incrementAndGet() > most) {
      taken.decrementAndGet();
      return usual;
    }
    return larger;
  }

  /**
   * The session is over, or could not have it.
   *
   * @param bytes what {@link #take} returned
   */
  void giveBack(int bytes) {
    if (bytes > settings.ringBytes()) {
      taken.decrementAndGet();
    }
  }
}
