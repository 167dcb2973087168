package org.slipstream.core.upgrade;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The life of a link, as this end knows it.
 *
 * <pre>
 *   health:   ATTACHED --failed--&gt; FAILED --lost--&gt; LOST
 *                 '----------------lost--------------^
 *   beside:   proven        the process at the other end of the TCP connection is that of the link
 *             revoked       our direction has to leave the ring, without a loss
 *             asked         the peer was asked to leave its ring
 *             peer closed   the peer's stream is closed; outranks everything
 * </pre>
 *
 * <p>Every fact is only ever added, by any thread, and read by all; one word, so that a writer
 * looks once. What a fact means for the two directions is decided here and nowhere else.
 */
public final class LinkState {
  private static final VarHandle FACTS;

  static {
    try {
      FACTS = MethodHandles.lookup().findVarHandle(LinkState.class, "facts", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final int FAILED = 1;
  private static final int LOST = 1 << 1;
  private static final int PROVEN = 1 << 2;
  private static final int REVOKED = 1 << 3;
  private static final int ASKED = 1 << 4;
  private static final int PEER_CLOSED = 1 << 5;

  /** Which of the facts above hold. */
  private volatile int facts;

  /** A link that was just attached. */
  public LinkState() {}

  private boolean add(int added) {
    return ((int) FACTS.getAndBitwiseOr(this, added) & added) != added;
  }

  private boolean has(int any) {
    return (facts & any) != 0;
  }

  // -- facts -----------------------------------------------------------------------------------

  /** The link may be used no more: no byte may enter the ring, but what is in it counts. */
  public void failed() {
    add(FAILED);
  }

  /** The session is gone, or the peer said that the link has failed. */
  public void lost() {
    add(FAILED | LOST);
  }

  /** The process at the other end of the TCP connection is that of the link. */
  public void proven() {
    add(PROVEN);
  }

  /**
   * Our direction has to leave the ring.
   *
   * @return whether that is news
   */
  public boolean revoked() {
    return add(REVOKED);
  }

  /**
   * The peer is asked to leave its ring: our window can serve no longer.
   *
   * @return true for the first caller
   */
  public boolean asked() {
    return add(ASKED);
  }

  /** The peer has closed the stream: what is written now is never read. */
  public void peerClosed() {
    add(PEER_CLOSED);
  }

  // -- what they mean --------------------------------------------------------------------------

  /** {@return whether no byte may enter the ring any more} */
  public boolean isFailed() {
    return has(FAILED);
  }

  /** {@return whether both ends know that the link has failed, or the peer is about to} */
  public boolean isLost() {
    return has(LOST);
  }

  /** {@return whether control bytes on the TCP connection reach the peer of the link, if any} */
  public boolean isProven() {
    return has(PROVEN);
  }

  /** {@return whether our direction has to leave the ring} */
  public boolean isRevoked() {
    return has(REVOKED);
  }

  /** {@return whether one end has revoked the ring of the other} */
  public boolean isRevokedOrAsked() {
    return has(REVOKED | ASKED);
  }

  /** {@return whether the peer has closed the stream} */
  public boolean isPeerClosed() {
    return has(PEER_CLOSED);
  }

  /**
   * Whether our direction may enter the ring, if its peer is proven.
   *
   * @param broken whether the medium says that it has lost stores
   * @param flaggedClosed whether the peer's window says that the peer has closed
   * @return false if the direction has to stay on TCP
   */
  public boolean mayEnterRing(boolean broken, boolean flaggedClosed) {
    return !broken && !flaggedClosed && !has(FAILED | REVOKED | PEER_CLOSED);
  }

  /**
   * Whether our direction must fall back to TCP. Not for the sake of a peer that has closed: what
   * is in the ring is the last that it gets.
   *
   * @param broken as for {@link #mayEnterRing}
   * @return true if the direction must leave the ring unless the peer's window says that it closed
   */
  public boolean mustLeaveRing(boolean broken) {
    int now = facts;
    return (now & PEER_CLOSED) == 0 && (broken || (now & (FAILED | REVOKED)) != 0);
  }
}
