package org.slipstream.core.status;

/**
 * The counters of a process for JMX, as {@code org.slipstream:type=Slipstream}. Each attribute is
 * the {@link ProcessCounters} component of its name. Any thread.
 */
public interface SlipstreamMXBean {

  /**
   * See {@link ProcessCounters#streamsOpened}.
   *
   * @return the count
   */
  long getStreamsOpened();

  /**
   * See {@link ProcessCounters#streamsOpen}.
   *
   * @return the count
   */
  long getStreamsOpen();

  /**
   * See {@link ProcessCounters#streamsOnLink}.
   *
   * @return the count
   */
  long getStreamsOnLink();

  /**
   * See {@link ProcessCounters#streamsJoined}.
   *
   * @return the count
   */
  long getStreamsJoined();

  /**
   * See {@link ProcessCounters#ringBytesOut}.
   *
   * @return the count
   */
  long getRingBytesOut();

  /**
   * See {@link ProcessCounters#ringBytesIn}.
   *
   * @return the count
   */
  long getRingBytesIn();

  /**
   * See {@link ProcessCounters#plainBytesOut}.
   *
   * @return the count
   */
  long getPlainBytesOut();

  /**
   * See {@link ProcessCounters#plainBytesIn}.
   *
   * @return the count
   */
  long getPlainBytesIn();

  /**
   * See {@link ProcessCounters#messagesOut}.
   *
   * @return the count
   */
  long getMessagesOut();

  /**
   * See {@link ProcessCounters#messagesIn}.
   *
   * @return the count
   */
  long getMessagesIn();

  /**
   * See {@link ProcessCounters#spins}.
   *
   * @return the count
   */
  long getSpins();

  /**
   * See {@link ProcessCounters#wakeUps}.
   *
   * @return the count
   */
  long getWakeUps();

  /**
   * See {@link ProcessCounters#failovers}.
   *
   * @return the count
   */
  long getFailovers();

  /**
   * See {@link ProcessCounters#offersRefused}.
   *
   * @return the count
   */
  long getOffersRefused();

  /**
   * See {@link ProcessCounters#slowWaits}.
   *
   * @return the count
   */
  long getSlowWaits();

  /**
   * Every open stream, as {@code slipstream ps --json} prints it.
   *
   * @return one JSON object
   */
  String streamsAsJson();
}
