package org.slipstream.core.api;

import org.jspecify.annotations.Nullable;
import org.slipstream.transport.Refusal;

/** Why a stream is plain. Every plain stream has one; each says what to do. */
public enum Reason {
  /** It is not yet eligible for an upgrade. */
  NOT_YET_ELIGIBLE("not enough traffic yet; a stream is upgraded after its first exchange"),
  /** The offer is under way. */
  OFFERED(
      "an upgrade is being negotiated; if it lasts, the peer is stopped or has not accepted the connection"),
  /** The offer has had no answer for some seconds. */
  TIMED_OUT(
      "the peer has not answered the offer for 5 s: it is stopped or has not accepted the connection; the stream is upgraded if it answers"),
  /** Switched off. */
  DISABLED(
      "Slipstream is switched off, by 'slipstream off' or by the rule 'off all'; 'slipstream on' is for new streams"),
  /** A rule forbids it. */
  RULE("a rule keeps this stream on TCP; see slipstream.rules and slipstream.rules.file"),
  /** No transport joins the two addresses. */
  NO_TRANSPORT("no transport joins the two addresses; see 'slipstream doctor'"),
  /** No process announces the peer's port. */
  PEER_NOT_ACCELERATED(
      "the peer does not run Slipstream, or runs as another user or without sharing slipstream.dir"),
  /** The peer's process was found and does not answer. */
  PEER_SILENT(
      "the peer runs Slipstream and does not answer: it is stopped, overloaded, without file descriptors, or of another user or version; the stream is offered again"),
  /** The peer has no memory for a session. */
  PEER_NO_MEMORY(
      "the peer process has no memory for a session: raise what it may lock (ulimit -l) or its slipstream.memory.limit"),
  /** The peer speaks another version. */
  PEER_VERSION("the peer runs another version of Slipstream; run the same version at both ends"),
  /** The peer's settings forbid the way. */
  PEER_FORBIDS(
      "the peer's settings do not allow this device, port or address; see slipstream.rdma.ports, gids, pkeys and iwarp there"),
  /** The keys differ. */
  KEY_MISMATCH(
      "the two processes do not have the same slipstream.key, or one of them has none; give both the same file"),
  /** The peer has too many sessions without a proof. */
  PEER_BUSY(
      "the peer has as many unproven sessions of this host as it allows; the stream is offered again; if it repeats, set slipstream.key at both ends"),
  /** The peer refused. */
  REFUSED("the peer refused the upgrade; its log or 'slipstream ps' says why"),
  /** No memory for a window. */
  NO_MEMORY(
      "no memory for a ring: raise slipstream.memory.limit, the size of the tmpfs, or what may be locked (ulimit -l)"),
  /** Both ends are the same socket. */
  SELF_CONNECT("the socket is connected to itself; nothing to do, as TCP is right for it"),
  /** Urgent data was used. */
  URGENT_DATA(
      "urgent data or OOBINLINE was used before the upgrade; nothing to do but not to use it"),
  /** Another process answered. */
  WRONG_PEER(
      "the process that accepted the offer is not the peer of this connection; look for a forwarder or an address translation inside the host"),
  /**
   * Its path leads to another process than the one that accepted the offer, or can not be proven.
   */
  UNPROVEN_PATH(
      "the peer is in another network namespace, and a connection to a port of its address did not reach it: equal addresses in two networks, or a firewall between them; nothing is wrong with TCP"),
  /** The session ended. */
  LINK_LOST(
      "the session with the peer process ended; the stream goes on over TCP and is offered again; if it repeats, read the peer's log"),
  /** Answers came later than over TCP. */
  SLOWER_THAN_TCP(
      "answers took longer over the session with the peer than TCP takes; the stream is offered again after 10 s, and later each time; look at the network with 'slipstream fabric'"),
  /** A ring could not grow or the peer asked for it. */
  REVOKED(
      "one of the two processes took the stream back to TCP; 'slipstream ps' at the other end says why"),
  /** A ring stayed full. */
  RING_FULL(
      "the peer did not read for a while; the stream returns to its ring when the peer has caught up"),
  /** A direction has not switched yet. */
  SWITCHING("joined to its peer; a direction switches at its next write"),
  /** The stream is not plain. */
  NONE("the stream travels on its link");

  private final String advice;

  Reason(String advice) {
    this.advice = advice;
  }

  /**
   * What a stream says whose peer was searched for and not found.
   *
   * @param refusal why; null if no process was found
   * @return the reason
   */
  public static Reason of(@Nullable Refusal refusal) {
    if (refusal == null) { // not a case: for that the JVM would link the switch at run time
      return PEER_NOT_ACCELERATED;
    }
    return switch (refusal) {
      case NO_MEMORY_HERE -> NO_MEMORY;
      case NOT_ALLOWED_HERE -> NO_TRANSPORT;
      case NO_MEMORY_THERE -> PEER_NO_MEMORY;
      case VERSION -> PEER_VERSION;
      case NOT_ALLOWED, IWARP_OFF -> PEER_FORBIDS;
      case KEY -> KEY_MISMATCH;
      case BUSY -> PEER_BUSY;
      case SILENT -> PEER_SILENT;
    };
  }

  /**
   * Whether a search for the peer ended so. The next one may end otherwise.
   *
   * @return false for reasons that are not about the peer's presence
   */
  public boolean isOfSearch() {
    return switch (this) {
      case PEER_NOT_ACCELERATED,
          PEER_SILENT,
          PEER_NO_MEMORY,
          PEER_VERSION,
          PEER_FORBIDS,
          KEY_MISMATCH,
          PEER_BUSY ->
          true;
      default -> false;
    };
  }

  /**
   * Whether a peer, or this process, declined: the offer, or the session that it needs.
   *
   * @return false if there was no answer, or no offer
   */
  public boolean isRefusal() {
    return switch (this) {
      case PEER_NOT_ACCELERATED, PEER_SILENT -> false;
      case REFUSED, NO_MEMORY -> true;
      default -> isOfSearch();
    };
  }

  /**
   * One sentence for the operator.
   *
   * @return what it means and what to do
   */
  public String advice() {
    return advice;
  }
}
