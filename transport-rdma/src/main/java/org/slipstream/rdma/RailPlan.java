package org.slipstream.rdma;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Over which ways a process has sessions with one peer: which way is connected next, and when one
 * that failed is tried again. The way in front is preferred; it is the one by which the peer was
 * found. Pure: the caller holds the clock.
 *
 * <pre>
 *             next                connected
 *     DOWN ----------&gt; ASKED ----------------&gt; UP
 *      ^                 | failed: twice as    |
 *      |                 | long as before      | ended: after a second
 *      '-----------------'---------------------'
 * </pre>
 */
final class RailPlan {
  /** A way is tried so long after the peer was found, and after its session ended. */
  static final long FIRST_NS = 1_000_000_000L;

  /** And at least so often while it fails. */
  static final long LAST_NS = 60_000_000_000L;

  /** Nothing is due until something happens. */
  static final long NEVER = -1;

  private enum State {
    DOWN,
    ASKED,
    UP
  }

  private static final class Path {
    final Way way;
    State state = State.DOWN;
    long waitNs = FIRST_NS;
    long dueNs;

    Path(Way way) {
      this.way = way;
    }
  }

  private final List<Path> paths;
  private final int most;

  /**
   * The first way is up.
   *
   * @param ways in the order of preference, each once
   * @param most how many sessions are wanted at once
   * @param now {@link System#nanoTime}
   */
  RailPlan(List<Way> ways, int most, long now) {
    this.paths = ways.stream().map(Path::new).toList();
    this.most = most;
    for (Path path : paths) {
      path.dueNs = now + FIRST_NS;
    }
    paths.getFirst().state = State.UP;
  }

  private long wanted() {
    return most - paths.stream().filter(p -> p.state != State.DOWN).count();
  }

  /**
   * A way that is to be connected now; it counts as asked from then on.
   *
   * @return null if none is due
   */
  @Nullable Way next(long now) {
    if (wanted() <= 0) {
      return null;
    }
    for (Path path : paths) {
      if (path.state == State.DOWN && now - path.dueNs >= 0) {
        path.state = State.ASKED;
        return path.way;
      }
    }
    return null;
  }

  /**
   * When to ask for {@link #next}.
   *
   * @return nanoseconds from now; {@link #NEVER} if enough are up or asked
   */
  long delay(long now) {
    long least = NEVER;
    if (wanted() > 0) {
      for (Path path : paths) {
        if (path.state == State.DOWN) {
          long delay = Math.max(0, path.dueNs - now);
          least = least == NEVER ? delay : Math.min(least, delay);
        }
      }
    }
    return least;
  }

  /** There is a session. */
  void connected(Way way) {
    Path path = of(way);
    if (path != null) {
      path.state = State.UP;
      path.waitNs = FIRST_NS;
    }
  }

  /** What was asked came to nothing, or the session is over. */
  void down(Way way, long now) {
    Path path = of(way);
    if (path != null && path.state != State.DOWN) {
      path.dueNs = now + path.waitNs;
      path.waitNs = path.state == State.UP ? FIRST_NS : Math.min(LAST_NS, 2 * path.waitNs);
      path.state = State.DOWN;
    }
  }

  /** A port of ours came back: what failed is worth a try at once. */
  void portActive(long now) {
    for (Path path : paths) {
      path.dueNs = path.state == State.DOWN ? now : path.dueNs;
      path.waitNs = FIRST_NS;
    }
  }

  /** Its place in the order of preference. */
  int rank(Way way) {
    for (int i = 0; i < paths.size(); i++) {
      if (paths.get(i).way.equals(way)) {
        return i;
      }
    }
    return paths.size();
  }

  private @Nullable Path of(Way way) {
    int rank = rank(way);
    return rank < paths.size() ? paths.get(rank) : null;
  }
}
