package org.slipstream.rdma;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of two processes that are one peer to each other: the first one, and those over
 * other ports that its ticket let in. Changed by the event thread; read by any.
 *
 * @param <S> the sessions
 */
final class RailGroup<S extends RailGroup.Member> {
  /** A session. */
  interface Member {
    /** Whether streams may be offered over it. */
    boolean isOpen();

    /** How many streams it carries. */
    int streams();
  }

  private record Ranked<S>(S session, int rank) {}

  /** By which the peer was found; null at the end that accepted. */
  private final @Nullable Way first;

  /** In the order of preference. Replaced by the event thread. */
  private volatile List<Ranked<S>> all = List.of();

  /** What else is to be connected; null at the end that accepts, and if there is one way only. */
  private @Nullable RailPlan plan;

  RailGroup(@Nullable Way first) {
    this.first = first;
  }

  @Nullable Way first() {
    return first;
  }

  /** Event thread. */
  @Nullable RailPlan plan() {
    return plan;
  }

  /** There are other ways. Event thread. */
  void plan(RailPlan made) {
    plan = made;
  }

  /** A session is there, at a place in the order of preference. Event thread. */
  void add(S session, int rank) {
    List<Ranked<S>> next = new ArrayList<>(all);
    next.add(new Ranked<>(session, rank));
    next.sort(Comparator.comparingInt(Ranked::rank));
    all = List.copyOf(next);
  }

  /**
   * A session is over. Event thread.
   *
   * @return false if it was none of these: it never began
   */
  boolean remove(S session) {
    List<Ranked<S>> left = all.stream().filter(r -> !r.session.equals(session)).toList();
    boolean was = left.size() < all.size();
    all = left;
    return was;
  }

  /** Those that meet a condition, the preferred one in front. */
  List<S> sessions(Predicate<S> which) {
    return all.stream().map(Ranked::session).filter(which).toList();
  }

  /**
   * Over which session a stream is offered now.
   *
   * @param spread over the one that carries the fewest streams; else over the preferred one
   * @return null if none is open
   */
  @Nullable S choose(boolean spread) {
    S chosen = null;
    int fewest = Integer.MAX_VALUE;
    for (Ranked<S> each : all) {
      if (each.session.isOpen()) {
        int streams = spread ? each.session.streams() : 0;
        if (streams < fewest) {
          chosen = each.session;
          fewest = streams;
        }
      }
    }
    return chosen;
  }
}
