package org.slipstream.core.status;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.slipstream.core.api.Counter;
import org.slipstream.core.stream.Total;
import org.slipstream.core.stream.Total.Way;

/**
 * What all streams of a process have done since it began, closed ones included. A snapshot, not
 * exact while bytes move.
 *
 * @param values a number for each of {@link Total#ALL}
 */
public record ProcessCounters(Map<Total, Long> values) {
  /**
   * Makes one.
   *
   * @param source asked once for each of {@link Total#ALL}
   * @return the answers
   */
  public static ProcessCounters of(ToLongFunction<Total> source) {
    Map<Total, Long> values = new HashMap<>();
    for (Total total : Total.ALL) {
      values.put(total, source.applyAsLong(total));
    }
    return new ProcessCounters(Map.copyOf(values));
  }

  /**
   * A number.
   *
   * @param total which one
   * @return its value
   */
  public long get(Total total) {
    return Objects.requireNonNull(values.get(total), total.name());
  }

  /**
   * A number that has no direction, or is the sum of both.
   *
   * @param counter which one
   * @return its value
   */
  public long get(Counter counter) {
    return get(counter, Way.BOTH);
  }

  /**
   * A number of one direction.
   *
   * @param counter which one
   * @param way the direction
   * @return its value
   */
  public long get(Counter counter, Way way) {
    return get(new Total(counter, way));
  }
}
