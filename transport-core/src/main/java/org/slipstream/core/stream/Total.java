package org.slipstream.core.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.slipstream.core.api.Counter;
import org.slipstream.core.api.Flow;
import org.slipstream.core.api.StreamStatus;

/**
 * A number that a process tells of all its streams: a counter, or one direction of it.
 *
 * @param counter what is counted
 * @param way of which direction
 */
public record Total(Counter counter, Way way) {
  /** Directions of a stream. */
  public enum Way {
    /** Both, or the counter has no direction. */
    BOTH(""),
    OUT("Out"),
    IN("In");

    private final String suffix;

    Way(String suffix) {
      this.suffix = suffix;
    }

    /** Returns what is behind the name of a counter. */
    public String suffix() {
      return suffix;
    }
  }

  /** All there are, in the order of the counters. */
  public static final List<Total> ALL = all();

  /** Those that streams move, which stay in the sums when the stream is closed. */
  public static final List<Total> MOVED = moved();

  private static List<Total> all() {
    List<Total> all = new ArrayList<>();
    for (Counter counter : Counter.values()) {
      switch (counter.kind()) {
        case PROCESS, OPEN_STREAMS, OPEN_SESSIONS, SESSIONS, BOTH_WAYS ->
            all.add(new Total(counter, Way.BOTH));
        case EACH_WAY -> {
          all.add(new Total(counter, Way.OUT));
          all.add(new Total(counter, Way.IN));
        }
        case LEVEL -> {}
      }
    }
    return List.copyOf(all);
  }

  private static List<Total> moved() {
    List<Total> moved = new ArrayList<>(ALL);
    moved.removeIf(total -> !Counter.OF_DIRECTION.contains(total.counter));
    return List.copyOf(moved);
  }

  /** By hand, as the next: what a record makes costs milliseconds when it is first called. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Total t && t.counter == counter && t.way == way;
  }

  @Override
  public int hashCode() {
    return 31 * counter.hashCode() + way.hashCode();
  }

  /** Returns the name, e.g. {@code ringBytesOut}. */
  public String name() {
    return counter.key() + way.suffix;
  }

  /** Returns the name for Micrometer and its tags, {@code name,tag=value,tag=value}. */
  public String meter() {
    return counter.meter()
        + (way == Way.BOTH ? "" : ",direction=" + way.suffix.toLowerCase(Locale.ROOT));
  }

  /**
   * What one open stream adds.
   *
   * @param stream a snapshot of it
   * @return 0 for what happens to the process or to a session, and not to a stream
   */
  public long of(StreamStatus stream) {
    return switch (counter) {
      case STREAMS_OPEN -> 1;
      case STREAMS_ON_LINK -> stream.isAccelerated() ? 1 : 0;
      default -> of(stream.out(), stream.in());
    };
  }

  /**
   * What two directions add.
   *
   * @param out bytes to the peer
   * @param in bytes from the peer
   * @return 0 if a direction does not count it
   */
  public long of(Flow out, Flow in) {
    return (way == Way.IN ? 0 : out.get(counter)) + (way == Way.OUT ? 0 : in.get(counter));
  }
}
