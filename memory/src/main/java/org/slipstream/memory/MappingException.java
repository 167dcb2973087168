package org.slipstream.memory;

import java.io.IOException;

/** A region could not be mapped. */
public final class MappingException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Why; in the order of how much they tell. */
  public enum Reason {
    /** No process has announced itself by that name. */
    NO_OWNER(0),
    /** The owner was there, and ended before it answered. */
    OWNER_LOST(0),
    /** The owner did not answer in time; it may be stopped. */
    NO_ANSWER(0),
    /** The owner exports nothing of that name. */
    NO_REGION(1),
    /** The owner speaks another version. */
    VERSION(2),
    /** The owner has given this process as many mappings as it may have. */
    TOO_MANY(3),
    /** This process can not map it: no address space, or no descriptors. */
    NO_MEMORY(0),
    /** The owner can not give it to this process: no memory may be pinned for it, for example. */
    NO_MEMORY_THERE(6),
    /** The region is not for all that know its name, or the grant is none of the owner's. */
    DENIED(4),
    /** The grant was revoked. */
    REVOKED(5);

    private final int code;

    Reason(int code) {
      this.code = code;
    }

    /** On the wire; 0: it is never sent. */
    int code() {
      return code;
    }
  }

  /** What the owner or this process says. */
  private final Reason reason;

  MappingException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /**
   * Why.
   *
   * @return the reason
   */
  public Reason reason() {
    return reason;
  }
}
