package org.slipstream.core.stream;

/**
 * What a stream is doing.
 *
 * @param reason why it is plain, or {@link Reason#NONE}
 * @param outOnRing whether the sending direction is on the ring
 * @param inOnRing whether the receiving direction is on the ring
 * @param ringBytesOut bytes sent through the ring
 * @param ringBytesIn bytes received through the ring
 * @param plainBytesOut bytes sent on the anchor
 * @param plainBytesIn bytes received on the anchor
 */
public record StreamStatus(
    Reason reason,
    boolean outOnRing,
    boolean inOnRing,
    long ringBytesOut,
    long ringBytesIn,
    long plainBytesOut,
    long plainBytesIn) {

  /**
   * Whether both directions travel on the link.
   *
   * @return true once both have switched
   */
  public boolean isAccelerated() {
    return outOnRing && inOnRing;
  }
}
