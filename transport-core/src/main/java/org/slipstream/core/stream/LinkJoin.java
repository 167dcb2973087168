package org.slipstream.core.stream;

import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryFaults;

/**
 * When a stream can get a link, and how it does. A link that failed may be replaced once both
 * directions are back on TCP, as by an ordinary upgrade. Reactor only.
 */
final class LinkJoin {
  private final StreamContext stream;
  private final Inbound in;
  private final Outbound out;
  private final LinkRelease release;

  LinkJoin(StreamContext stream, Inbound in, Outbound out, LinkRelease release) {
    this.stream = stream;
    this.in = in;
    this.out = out;
    this.release = release;
  }

  /**
   * Whether there is no link, or one that failed and that no direction uses. No lock is held, so
   * the order counts: the link has failed first, and a writer begins before it looks at that; MARK
   * is not under way any more, and its reader is in the ring before that is so.
   */
  boolean isPossible() {
    StreamLink link = stream.link();
    try {
      return stream.state.isOpen()
          && (link == null
              || (link.isDead()
                  && MemoryFaults.settled(stream.slot.isOver(link))
                  && !in.isRing()
                  && out.switching.isOnTcp()));
    } catch (InternalError e) {
      return false; // its window does not say any more whether a MARK is under way
    }
  }

  /**
   * Attaches a link.
   *
   * @return false if that is not possible any more
   */
  boolean attach(StreamLink joined) {
    if (!isPossible()) {
      return false;
    }
    @Nullable StreamLink failed = stream.link();
    if (failed != null) {
      in.forgetProof();
      release.retire(failed);
      joined.follow(failed);
    }
    stream.slot.set(joined);
    return true;
  }
}
