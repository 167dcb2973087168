package org.slipstream.testkit.fault;

/**
 * What goes wrong, as far as a test does not say when.
 *
 * @param posted stores are on their way for a while: a doorbell may be there before its bytes, a
 *     word may be old, and a link that is cut loses what had not arrived
 * @param delays now and then a store takes its time
 * @param shortWindows windows begin with little storage, and some never get more
 */
public record Faults(boolean posted, boolean delays, boolean shortWindows) {

  /** Nothing but what {@link FaultyTransport#sever} does. */
  public static final Faults NONE = new Faults(false, false, false);

  /** All of them. */
  public static final Faults ALL = new Faults(true, true, true);
}
