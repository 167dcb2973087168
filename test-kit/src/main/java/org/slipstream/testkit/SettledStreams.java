package org.slipstream.testkit;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.StreamStatus;

/**
 * What streams had carried when they had settled. Counters never fall: without this, whatever a
 * settled stream does later, its ring has carried something.
 */
public final class SettledStreams {
  private final Map<Object, StreamStatus> settled =
      Collections.synchronizedMap(new WeakHashMap<>());

  /** Nothing has settled yet. */
  public SettledStreams() {}

  /**
   * Remembers an end that has settled.
   *
   * @param end a channel or a socket
   * @param status what it has carried so far; null fails
   */
  public void add(Object end, @Nullable StreamStatus status) {
    if (status == null || !usedRing(status)) {
      throw new AssertionError("Not on the ring: " + end + " " + status);
    }
    settled.putIfAbsent(end, status);
  }

  /**
   * Fails if an end was not carried by its ring, or has moved bytes since it settled and none of
   * them through the ring. Some may have overflowed.
   *
   * @param end a channel or a socket
   * @param status what it has carried so far; null fails
   */
  public void assertCarried(Object end, @Nullable StreamStatus status) {
    StreamStatus before = settled.get(end);
    if (status == null
        || !usedRing(status)
        || (before != null && ring(status) == ring(before) && plain(status) > plain(before))) {
      throw new AssertionError(
          "The ring did not carry " + end + " " + status + ", once settled " + before);
    }
  }

  /**
   * Whether both directions have used the ring.
   *
   * @param status null if the stream is none of ours
   * @return true if bytes went both ways
   */
  public static boolean usedRing(@Nullable StreamStatus status) {
    return status != null && status.ringBytesIn() > 0 && status.ringBytesOut() > 0;
  }

  private static long ring(StreamStatus status) {
    return status.ringBytesIn() + status.ringBytesOut();
  }

  private static long plain(StreamStatus status) {
    return status.plainBytesIn() + status.plainBytesOut();
  }
}
