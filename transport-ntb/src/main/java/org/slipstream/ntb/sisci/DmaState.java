package org.slipstream.ntb.sisci;

/** The state of a DMA queue. In the order of the C numbers. */
public enum DmaState {
  /** Nothing was ever posted. */
  IDLE,
  /** Entries are being collected. */
  GATHER,
  /** A transfer is under way. */
  POSTED,
  /** The last transfer has arrived. */
  DONE,
  /** The last transfer was aborted. */
  ABORTED,
  /** The last transfer failed. */
  ERROR;

  private static final DmaState[] ALL = values();

  static DmaState of(int number) {
    return number >= 0 && number < ALL.length ? ALL[number] : ERROR;
  }
}
