package org.slipstream.ntb.sisci;

/** The error codes of which we know the number; the library has more. */
public enum SisciError {
  /** Nothing went wrong. */
  OK(0),
  /** In use. */
  BUSY(0x900),
  /** The flag is known but not implemented. */
  FLAG_NOT_IMPLEMENTED(0x901),
  /** No such flag here. */
  ILLEGAL_FLAG(0x902),
  /** No space, e.g. in the queue of a data interrupt. */
  NOSPC(0x904),
  /** A table of the library is full. */
  API_NOSPC(0x905),
  /** The adapter has no more address space: its prefetchable window is used up. */
  HW_NOSPC(0x906),
  /** The function is not implemented. */
  NOT_IMPLEMENTED(0x907),
  /** Not an adapter number. */
  ILLEGAL_ADAPTERNO(0x908),
  /** There is no such adapter. */
  NO_SUCH_ADAPTERNO(0x909),
  /** The time is over. */
  TIMEOUT(0x90A),
  /** Outside of the segment. */
  OUT_OF_RANGE(0x90B),
  /** No such segment, or no such interrupt: they share a number. */
  NO_SUCH_SEGMENT(0x90C),
  /** Not a node id. */
  ILLEGAL_NODEID(0x90D),
  /** The owner refuses. */
  CONNECTION_REFUSED(0x90E),
  /** The segment is not connected. */
  SEGMENT_NOT_CONNECTED(0x90F),
  /** The size is not aligned. */
  SIZE_ALIGNMENT(0x910),
  /** The offset is not aligned. */
  OFFSET_ALIGNMENT(0x911),
  /** An argument is wrong. */
  ILLEGAL_PARAMETER(0x912),
  /** A queue is full. */
  MAX_ENTRIES(0x913),
  /** The segment was not prepared. */
  SEGMENT_NOT_PREPARED(0x914),
  /** Not an address. */
  ILLEGAL_ADDRESS(0x915),
  /** Not in this state. */
  ILLEGAL_OPERATION(0x916),
  /** No such query. */
  ILLEGAL_QUERY(0x917),
  /** Another segment has the id. */
  SEGMENTID_USED(0x918),
  /** An error of the operating system. */
  SYSTEM(0x919),
  /** The handle is dead. */
  CANCELLED(0x91A),
  /** Not connected. */
  NOT_CONNECTED(0x91B),
  /** Not available. */
  NOT_AVAILABLE(0x91C),
  /** Library and driver do not fit together. */
  INCONSISTENT_VERSIONS(0x91D),
  /** A race between conditional interrupts. */
  COND_INT_RACE_PROBLEM(0x91E),
  /** Too many. */
  OVERFLOW(0x91F),
  /** {@code SCIInitialize} was not called. */
  NOT_INITIALIZED(0x920),
  /** Not allowed. */
  ACCESS(0x921),
  /** There is no such node. */
  NO_SUCH_NODEID(0xA00),
  /** The node does not answer. */
  NODE_NOT_RESPONDING(0xA02),
  /** The peer's link is down. */
  NO_REMOTE_LINK_ACCESS(0xA04),
  /** Our link is down. */
  NO_LINK_ACCESS(0xA05),
  /** Bytes did not arrive. */
  TRANSFER_FAILED(0xA06),
  /** The peer is busy. */
  REMOTE_BUSY(0xB00),
  /** A code that is not in this list. */
  UNKNOWN(-1);

  /** Set in every code. */
  private static final int MARK = 0x4000_0000;

  private final int code;

  SisciError(int code) {
    this.code = code <= 0 ? code : code | MARK;
  }

  /**
   * The number in the library.
   *
   * @return as the C enumeration has it
   */
  public int code() {
    return code;
  }

  /**
   * Finds a code.
   *
   * @param code from the library
   * @return the error, {@link #UNKNOWN} for numbers that are not in the list
   */
  public static SisciError of(int code) {
    for (SisciError error : values()) {
      if (error.code == code) {
        return error;
      }
    }
    return UNKNOWN;
  }
}
