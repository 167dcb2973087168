package org.slipstream.core.stream;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Reason;
import org.slipstream.transport.ControlLayout;

/**
 * The link that a stream has, if any, and why it has none. The reactor and the program's threads
 * change both, under the monitor of this; {@link Reason#URGENT_DATA} is final.
 */
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

  /** The program wants urgent bytes in line. Set under the write lock. */
  private volatile boolean inline;

  /** The last link was lost because TCP may be faster. Reactor; read by any thread. */
  private volatile boolean slower;

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

  /** Why a link that failed is not replaced yet. */
  Reason lossNow() {
    return slower ? Reason.SLOWER_THAN_TCP : Reason.LINK_LOST;
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
   */
  synchronized void set(StreamLink joined) {
    slower = false;
    link = joined; // a reader looks at it after each read, without the monitor
    if (inline) {
      tellInline(joined); // the peer asks the link that it has, also if ours may not switch
    }
    if (reason == Reason.URGENT_DATA) {
      joined.markDead(); // used after the offer: see usesUrgentData
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
    inline = on; // before the look at the link: one that comes now is told by set
    StreamLink now = link;
    if (now == null) {
      return false;
    }
    tellInline(now);
    now.link().flush(); // the kernel's option works at once, so must the word
    return true;
  }

  /** Whether the kernel gives our program urgent bytes in line; any thread. */
  boolean isInline() {
    return inline;
  }

  /** Any two threads: the one that comes second tells the last word. */
  private void tellInline(StreamLink l) {
    boolean told;
    do {
      told = inline;
      l.producer().publishFlags(told ? ControlLayout.FLAG_OOB_INLINE : 0);
    } while (told != inline);
  }

  /** Stays plain for now, unless it does for good. */
  synchronized void stayPlain(Reason why) {
    StreamLink l = link;
    slower = why == Reason.SLOWER_THAN_TCP || (slower && why == Reason.OFFERED);
    if (reason != Reason.URGENT_DATA && (l == null || l.isRevoked())) {
      offeredAt = System.nanoTime();
      reason = why;
    }
  }

  /** Stays plain for good; a link that it has is used no more. */
  synchronized void usesUrgentData() {
    reason = Reason.URGENT_DATA;
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
  synchronized void drop(StreamLink wrong) {
    unrelated = wrong;
    if (reason != Reason.URGENT_DATA) {
      reason = Reason.WRONG_PEER;
    }
    wrong.markDead();
  }
}
