package org.slipstream.core.session;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Reason;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.transport.Reactor;

/**
 * Streams whose link failed, or their offer, while both ends may live. A direction whose program
 * writes falls back to TCP by itself. One that is silent falls back when its control bytes are sure
 * to be read ({@code ControlByteWriter}): over a medium that may have lost bytes at once, otherwise
 * when there is a session with the same process again, for which the end that connected looks, less
 * and less often. Then it offers the stream until it has another link. Each stream has a clock of
 * its own, which each loss of a link starts anew. Streams whose peer did not answer are looked
 * after too, more slowly. Reactor only.
 */
final class LostStreams {
  static final long FIRST_NS = 20_000_000;
  static final long LAST_NS = 5_000_000_000L;

  /**
   * Where another session with the same process is open a stream only waits until both ends have
   * left the lost link: it is offered so often, so many times, and then more and more rarely.
   */
  static final long NEAR_NS = 80_000_000;

  static final int NEAR_TIMES = 20;

  /** Transports remember for as long that no process answered. */
  static final long SEEK_FIRST_NS = 5_000_000_000L;

  static final long SEEK_LAST_NS = 60_000_000_000L;

  /**
   * Whether another session with the same process is still open is asked after this time: if the
   * process has ended, the end of that session has been heard by then.
   */
  static final long GRACE_NS = 100_000_000;

  private final Reactor reactor;
  private final Consumer<Stream> nudge;
  private final Consumer<StreamLink> findPeer;
  private final Consumer<Stream> offer;
  private final Map<Stream, Retry> retries = new HashMap<>();

  /**
   * No stream has lost its link yet.
   *
   * @param reactor keeps the time
   * @param nudge leads a silent stream back to TCP, if that is allowed
   * @param findPeer tells a link of an open session with the process of its peer, if there is one
   * @param offer offers a stream, or looks for the process of its peer, unless it must stay plain
   *     by now; throws nothing but an {@link OutOfMemoryError}, behind which it is called again
   */
  LostStreams(
      Reactor reactor,
      Consumer<Stream> nudge,
      Consumer<StreamLink> findPeer,
      Consumer<Stream> offer) {
    this.reactor = reactor;
    this.nudge = nudge;
    this.findPeer = findPeer;
    this.offer = offer;
  }

  /** The offers of one stream after one loss. */
  private class Retry implements Runnable {
    /** Null once it is forgotten: the reactor keeps its tasks until they are due. */
    private @Nullable Stream stream;

    private final long lastNs;
    private long delayNs;
    private int near;

    /** It is to be offered, also if there was no memory for it the last time. */
    private boolean due;

    Retry(Stream stream, long firstNs, long lastNs) {
      this.stream = stream;
      this.delayNs = firstNs;
      this.lastNs = lastNs;
    }

    void begin(Stream lostNow) {
      if (!lostNow.isOpen()) {
        return; // closed meanwhile, and forgotten already
      }
      forget(lostNow);
      retries.put(lostNow, this);
      try {
        reactor.schedule(delayNs, this);
      } catch (OutOfMemoryError e) {
        forget(lostNow); // a clock that does not run would keep another one from being made
        throw e;
      }
    }

    boolean isDue(Stream waiting) {
      return true;
    }

    @Override
    public void run() {
      Stream waiting = stream;
      if (waiting == null) {
        return; // closed, joined, or lost once more meanwhile: then there is another clock
      }
      if (!needsLink(waiting)) {
        forget(waiting);
        return;
      }
      due |= isDue(waiting);
      if (due) {
        offer.accept(waiting);
        due = false;
      }
      delayNs = Math.min(isNear(waiting) ? NEAR_NS : lastNs, 2 * delayNs);
      Clocks.goOn(reactor, delayNs, this);
    }

    private boolean isNear(Stream waiting) {
      StreamLink link = waiting.link();
      return link != null && !link.session().isOpen() && link.canReachPeer() && near++ < NEAR_TIMES;
    }
  }

  /** The searches for the peer of one stream that was never answered; none for a silent stream. */
  private final class Seek extends Retry {
    private long moved;

    Seek(Stream stream) {
      super(stream, SEEK_FIRST_NS, SEEK_LAST_NS);
      moved = bytes(stream);
    }

    private static long bytes(Stream stream) {
      StreamStatus status = stream.status();
      return status.plainBytesIn() + status.plainBytesOut();
    }

    @Override
    boolean isDue(Stream waiting) {
      long before = moved;
      moved = bytes(waiting);
      return moved != before && waiting.reason() != Reason.OFFERED; // or it is being searched for
    }
  }

  void add(Stream stream) {
    nudge.accept(stream); // the peer may wait for bytes that went with the link
    StreamLink link = stream.link();
    if (link != null && stream.isOpen()) {
      reactor.schedule(GRACE_NS, () -> fallBack(stream, link));
    }
    if (stream.isClient()) {
      new Retry(stream, FIRST_NS, LAST_NS).begin(stream);
    }
  }

  private void fallBack(Stream stream, StreamLink lost) {
    if (lost.equals(stream.link())) {
      findPeer.accept(lost);
      nudge.accept(stream);
    }
  }

  /**
   * The same for a stream whose offer was lost before it had a link. If its clock runs since an
   * earlier loss, it goes on: each offer may be lost like the one before.
   */
  void retry(Stream stream) {
    Retry running = retries.get(stream);
    if (stream.isClient() && (running == null || running instanceof Seek)) {
      new Retry(stream, FIRST_NS, LAST_NS).begin(stream);
    }
  }

  /** A stream whose peer did not answer, but may later. Its clock goes on if there is one. */
  void seek(Stream stream) {
    if (!retries.containsKey(stream)) {
      new Seek(stream).begin(stream);
    }
  }

  /**
   * A stream that was closed, or has another link. Its clock, which may stand a minute ahead, keeps
   * nothing of it.
   */
  void forget(Stream stream) {
    Retry retry = retries.remove(stream);
    if (retry != null) {
      retry.stream = null;
    }
  }

  /** How many streams have not been seen with another link yet. */
  int size() {
    return retries.size();
  }

  private static boolean needsLink(Stream stream) {
    StreamLink link = stream.link();
    return stream.isOpen()
        && (link == null ? Offers.isWorthRetrying(stream) : link.isDead() && !link.isPeerClosed());
  }
}
