package org.slipstream.core.api;

/**
 * What a stream is doing.
 *
 * @param reason why it is plain, or {@link Reason#NONE}
 * @param state how far the connection has come
 * @param out the sending direction
 * @param in the receiving direction
 */
public record StreamStatus(Reason reason, ConnectionState state, Flow out, Flow in) {

  /**
   * Whether both directions travel on the link.
   *
   * @return true once both have switched
   */
  public boolean isAccelerated() {
    return out.onRing() && in.onRing();
  }

  /**
   * Whether the sending direction is on the ring.
   *
   * @return false while it is on TCP
   */
  public boolean outOnRing() {
    return out.onRing();
  }

  /**
   * Whether the receiving direction is on the ring.
   *
   * @return false while it is on TCP
   */
  public boolean inOnRing() {
    return in.onRing();
  }

  /**
   * Sent through the ring.
   *
   * @return bytes
   */
  public long ringBytesOut() {
    return out.get(Counter.RING_BYTES);
  }

  /**
   * Received through the ring.
   *
   * @return bytes
   */
  public long ringBytesIn() {
    return in.get(Counter.RING_BYTES);
  }

  /**
   * Sent over TCP.
   *
   * @return bytes
   */
  public long plainBytesOut() {
    return out.get(Counter.PLAIN_BYTES);
  }

  /**
   * Received over TCP.
   *
   * @return bytes
   */
  public long plainBytesIn() {
    return in.get(Counter.PLAIN_BYTES);
  }
}
