package org.slipstream.core.stream;

import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ControlLayout;

/** The link that a stream has, if any, and why it has none. */
final class LinkSlot {
  /** A peer that lives answers an offer sooner, unless its program has yet to accept. */
  private static final long ANSWER_NS = 5_000_000_000L;

  /** Set by the reactor; read by any thread. */
  private volatile @Nullable StreamLink link;

  /** Set by the reactor while there is no link, and by the thread that rules the stream out. */
  private volatile Reason reason = Reason.NOT_YET_ELIGIBLE;

  /** When the reason became {@link Reason#OFFERED}; for status output. */
  private volatile long offeredAt;

  /**
   * A link that is not this connection's. Set by the reader; what its window says is not looked at.
   */
  private volatile @Nullable StreamLink unrelated;

  /** The program wants urgent bytes in line. Set under the write lock, while there is a link. */
  private volatile boolean inline;

  @Nullable StreamLink link() {
    return link;
  }

  Reason reason() {
    return reason;
  }

  /** MARK was not that of the link: whatever its window says is an unrelated process's. */
  boolean isUnrelated(StreamLink link) {
    return link.equals(unrelated);
  }

  /** The reason, with what time has made of it. */
  Reason reasonNow() {
    return reason == Reason.OFFERED && System.nanoTime() - offeredAt > ANSWER_NS
        ? Reason.TIMED_OUT
        : reason;
  }

  /** Whether no MARK of a dead link is under way. */
  boolean isOver(StreamLink dead) {
    return isUnrelated(dead)
        ? reason == Reason.WRONG_PEER && dead.isLost() // a peer that lost it wrote no MARK to it
        : reason == Reason.NONE && dead.consumer().epochs().nextAt() < 0;
  }

  /**
   * The stream has this link from now on. Reactor only.
   *
   * @param joined the new link
   * @param failed the one before; null if there was none
   */
  void set(StreamLink joined, @Nullable StreamLink failed) {
    link = joined; // no lock: a reader looks at it after each read
    if (failed != null && inline) {
      tellInline(joined); // the peer asks the link that it has
    }
    if (reason == Reason.URGENT_DATA) {
      joined.markDead(); // used after the offer: see neverSwitch
    } else {
      reason = Reason.NONE;
    }
  }

  /**
   * The program switched OOBINLINE; under the write lock.
   *
   * @param on whether urgent bytes are to appear in line
   * @return false if there is no link through which the peer could be told
   */
  boolean inlineChanged(boolean on) {
    StreamLink l = link;
    if (l == null) {
      return false;
    }
    inline = on;
    StreamLink now = Objects.requireNonNull(link); // perhaps another one than before
    tellInline(now);
    now.link().flush(); // the kernel's option works at once, so must the word
    return true;
  }

  /** Any two threads: the one that comes second tells the last word. */
  private void tellInline(StreamLink l) {
    boolean told;
    do {
      told = inline;
      l.producer().publishFlags(told ? ControlLayout.FLAG_OOB_INLINE : 0);
    } while (told != inline);
  }

  void stayPlain(Reason why) {
    StreamLink l = link;
    if (l == null || l.isRevoked()) {
      offeredAt = System.nanoTime();
      reason = why;
    }
  }

  /** Stays plain for good; a link that it has is used no more. */
  void neverSwitch(Reason why) {
    reason = why;
    StreamLink l = link;
    if (l != null) {
      l.markDead();
    }
  }

  /** The peer shortened a file that we have mapped. */
  IOException memoryFault(InternalError e) {
    StreamLink l = link;
    if (l != null) {
      l.markPeerClosed(); // neither ring is to be trusted: there is no fall-back to TCP
      if (l.session().isOpen()) {
        l.session().abort("the peer took away memory of a slab"); // else later streams get it, too
      }
    }
    return new IOException("The peer took away memory of this stream's ring", e);
  }

  /**
   * The link is not this connection's, and the stream stays plain; or its session was lost when the
   * peer had announced an epoch, and the peer went on raw. Then there may be another link once we
   * know of the loss.
   */
  void drop(StreamLink wrong) {
    unrelated = wrong;
    reason = Reason.WRONG_PEER;
    wrong.markDead();
  }
}
