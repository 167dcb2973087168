package org.slipstream.rdma;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slipstream.rdma.cm.ConnectedId;

/**
 * Ends identifiers of rdma_cm without a word over a port that is down: closing one says something
 * to the peer, so it waits until the port can send again. Soft-RoCE (6.1) would lose the queue pair
 * of its connection manager by that, and no process of the host would connect again. Event thread
 * only.
 */
final class SilentIds {

  /** A port that went down is looked at so often, while there is something to say over it. */
  static final long LOOK_NS = 500_000_000L;

  private final List<ConnectedId> all = new ArrayList<>();
  private final Predicate<ConnectedId> canSend;
  private final Listeners.Scheduler scheduler;

  /** Made before there is no memory for it. */
  private final Runnable lookAgain = this::lookAgain;

  private boolean looking;

  /**
   * Makes an empty set.
   *
   * @param canSend whether the port of an identifier is active
   * @param scheduler the event thread
   */
  SilentIds(Predicate<ConnectedId> canSend, Listeners.Scheduler scheduler) {
    this.canSend = canSend;
    this.scheduler = scheduler;
  }

  /** Closes it soon, if the port can send by then, or as soon as it can. */
  void add(ConnectedId id) {
    all.add(id);
    look();
  }

  /**
   * Ends one: when this returns, its queue pair answers and asks nothing any more. The peer is told
   * at once if the port can send, or as soon as it can.
   *
   * @param free gives back what the queue pair has used
   */
  void end(ConnectedId id, Runnable free) {
    boolean mayTell = canSend.test(id);
    if (mayTell) {
      id.disconnect();
    }
    id.destroyQueuePair();
    free.run();
    if (mayTell) {
      id.close();
    } else {
      add(id);
    }
  }

  boolean canSend(ConnectedId id) {
    return canSend.test(id);
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  Stream<ConnectedId> ids() {
    return all.stream();
  }

  /** Closes those that are meant, whatever their port can. */
  void close(Predicate<ConnectedId> which) {
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
      scheduler.schedule(LOOK_NS, lookAgain);
    }
  }

  private void lookAgain() {
    looking = false;
    try {
      close(canSend);
    } finally {
      look();
    }
  }
}
