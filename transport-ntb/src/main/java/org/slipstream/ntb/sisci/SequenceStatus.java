package org.slipstream.ntb.sisci;

/** What a sequence says about the stores since it was started. In the order of the C numbers. */
public enum SequenceStatus {
  /** All have arrived. */
  OK,
  /** Some may be lost; store them again. */
  RETRIABLE,
  /** The link is broken; start the sequence until it is {@link #OK}, then store again. */
  NOT_RETRIABLE,
  /** An error was seen and the driver still decides. */
  PENDING;

  private static final SequenceStatus[] ALL = values();

  static SequenceStatus of(int number) {
    return number >= 0 && number < ALL.length ? ALL[number] : NOT_RETRIABLE;
  }
}
