package org.slipstream.transport;

/** Why a search found a peer, or a way to one, that will not make a session. */
public enum Refusal {
  /** This process may not lock, or not use, the memory of a session. */
  NO_MEMORY_HERE(
      "this process has no memory for a session; see slipstream.memory.limit and ulimit -l"),
  /** The settings of this process do not allow the device, port or address of the way. */
  NOT_ALLOWED_HERE("the settings of this process do not allow the way"),
  /** The peer may not lock, or not use, the memory of a session. */
  NO_MEMORY_THERE(
      "the peer has no memory for a session; see its slipstream.memory.limit and ulimit -l"),
  /** The peer speaks another version of the protocol. */
  VERSION("the peer speaks another version of the protocol"),
  /** The peer's settings do not allow the device, port or address of the request. */
  NOT_ALLOWED("the settings of the peer do not allow the way"),
  /** The way leads over iWARP, which is off at the peer. */
  IWARP_OFF("the way leads over iWARP, which is off at the peer"),
  /** The two do not have the same cluster key, or one of them has none. */
  KEY("the two ends do not have the same slipstream.key"),
  /** The peer has as many sessions of this host as it lets be without a proof. */
  BUSY("the peer has too many sessions of this host that have proven nothing"),
  /** A process announces the address, and does not answer; it may later. Said by no peer. */
  SILENT("the peer runs Slipstream and does not answer");

  private final String sentence;

  Refusal(String sentence) {
    this.sentence = sentence;
  }

  /**
   * For the operator.
   *
   * @return half a sentence
   */
  public String sentence() {
    return sentence;
  }
}
