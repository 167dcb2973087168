package org.slipstream.core.session;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.transport.Reactor;

/**
 * Streams whose link failed, or their offer, while both ends live. Each goes home to its anchor at
 * once; the end that connected offers it again, less and less often, until it has another link.
 * Each stream has a clock of its own, and each loss starts it anew. Reactor only.
 */
final class LostStreams {
  static final long FIRST_NS = 20_000_000;
  static final long LAST_NS = 5_000_000_000L;

  private final Reactor reactor;
  private final Consumer<Stream> nudge;
  private final Consumer<Stream> offer;
  private final Map<Stream, Retry> retries = new HashMap<>();

  /**
   * Nobody is lost yet.
   *
   * @param reactor keeps the time
   * @param nudge takes a stream home
   * @param offer offers a stream, unless it must stay plain by now; throws nothing
   */
  LostStreams(Reactor reactor, Consumer<Stream> nudge, Consumer<Stream> offer) {
    this.reactor = reactor;
    this.nudge = nudge;
    this.offer = offer;
  }

  /** The offers of one stream after one loss. */
  private final class Retry implements Runnable {
    private final Stream stream;
    private long delayNs = FIRST_NS;

    Retry(Stream stream) {
      this.stream = stream;
    }

    @Override
    public void run() {
      if (!equals(retries.get(stream))) {
        return; // lost once more meanwhile: there is another clock
      }
      if (!needsLink(stream)) {
        retries.remove(stream);
        return;
      }
      offer.accept(stream);
      delayNs = Math.min(LAST_NS, 2 * delayNs);
      reactor.schedule(delayNs, this);
    }
  }

  void add(Stream stream) {
    nudge.accept(stream);
    retry(stream);
  }

  /** The same for a stream whose offer was lost before it had a link. */
  void retry(Stream stream) {
    if (stream.isClient()) {
      Retry retry = new Retry(stream);
      retries.put(stream, retry);
      reactor.schedule(FIRST_NS, retry);
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
