package org.slipstream.core.identity;

/**
 * By what the end that connected knows its connection, and no other one: the number with which its
 * first segment began, and when that was by its own clock. The end that accepted has that segment.
 * No translation of addresses changes either, and a forwarder's own connection has other ones.
 *
 * <p>Two connections that have nothing to do with each other agree in the number once in 2<sup>32
 * </sup>, and in a clock that is known to d milliseconds once in 2<sup>32</sup> / d.
 *
 * @param sequence of the first segment
 * @param earliest value of its clock
 * @param latest value of its clock; the clock goes round
 */
public record ConnectionName(int sequence, int earliest, int latest) {
  private static final long NS_PER_MS = 1_000_000;

  /** The kernel's clock and ours go on at different moments. */
  private static final int SLACK_MS = 2;

  /** A clock that is not known better is no evidence. */
  private static final long MAX_AGE_MS = 1L << 24;

  /**
   * What a later segment says about the first one.
   *
   * @param segment that our kernel has sent for the connection
   * @param before bytes that were given to the connection in all, up to the segment's last one
   * @param ageNanos how long ago, when the segment was sent, the connection can not have existed
   * @return its name; one that no connection has if it is too old to be told by its clock
   */
  static ConnectionName of(SegmentHead segment, long before, long ageNanos) {
    int sequence = segment.sequence() + segment.bytes() - 1 - (int) before;
    long ageMs = ageNanos / NS_PER_MS + 1;
    int latest = segment.clock() + SLACK_MS;
    return new ConnectionName(
        sequence, ageMs > MAX_AGE_MS ? latest + 1 : latest - (int) ageMs - 2 * SLACK_MS, latest);
  }

  /**
   * Whether a first segment is that of this connection.
   *
   * @param first its sequence number
   * @param clock its clock
   * @return true if both ends have the same connection
   */
  public boolean is(int first, int clock) {
    int width = latest - earliest;
    return first == sequence && width >= 0 && Integer.compareUnsigned(clock - earliest, width) <= 0;
  }

  /**
   * The part of the name that is told to the processes that are asked. An answer has to know the
   * rest.
   *
   * @return the lower half of the number
   */
  public short hint() {
    return (short) sequence;
  }
}
