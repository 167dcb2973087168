package org.slipstream.rdma;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slipstream.rdma.cm.CmId;

/**
 * Identifiers of sessions that ended because a port went down: closing one says something to the
 * peer, so it waits until the port can send again. Event thread only.
 */
final class SilentIds {

  /** A port that went down is looked at so often, while there is something to say over it. */
  static final long LOOK_NS = 500_000_000L;

  private final List<CmId> all = new ArrayList<>();
  private final Predicate<CmId> canSend;
  private final Listeners.Scheduler scheduler;
  private boolean looking;

  /**
   * Makes an empty set.
   *
   * @param canSend whether the port of an identifier is active
   * @param scheduler the event thread
   */
  SilentIds(Predicate<CmId> canSend, Listeners.Scheduler scheduler) {
    this.canSend = canSend;
    this.scheduler = scheduler;
  }

  /** Closes it soon, if the port can send by then, or as soon as it can. */
  void add(CmId id) {
    all.add(id);
    look();
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  Stream<CmId> ids() {
    return all.stream();
  }

  /** Closes those that are meant, whatever their port can. */
  void close(Predicate<CmId> which) {
    all.removeIf(id -> {
      boolean meant = which.test(id);
      if (meant) {
        id.close();
      }
      return meant;
    });
  }

  private void look() {
    if (!all.isEmpty() && !looking) {
      looking = true;
      scheduler.schedule(
          LOOK_NS,
          () -> {
            looking = false;
            close(canSend);
            look();
          });
    }
  }
}
