package org.slipstream.core.session;

import java.util.LinkedHashSet;
import java.util.Set;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.transport.Reactor;

/**
 * Streams whose link failed while both ends live. Each goes home to its anchor at once; the ends
 * that connected offer it again, less and less often, until it has another link. Reactor only.
 */
final class LostStreams {
  private static final long FIRST_NS = 20_000_000;
  private static final long LAST_NS = 5_000_000_000L;

  private final Reactor reactor;
  private final Nudger nudger;
  private final Offers offers;
  private final Set<Stream> streams = new LinkedHashSet<>();
  private boolean ticking;
  private long delayNs = FIRST_NS;

  LostStreams(Reactor reactor, Nudger nudger, Offers offers) {
    this.reactor = reactor;
    this.nudger = nudger;
    this.offers = offers;
  }

  void add(Stream stream) {
    nudger.nudge(stream);
    if (!stream.isClient()) {
      return;
    }
    streams.add(stream);
    delayNs = FIRST_NS;
    if (!ticking) {
      ticking = true;
      reactor.schedule(delayNs, this::tick);
    }
  }

  private void tick() {
    streams.removeIf(stream -> !needsLink(stream));
    for (Stream stream : streams) {
      offers.offer(stream);
    }
    if (streams.isEmpty()) {
      ticking = false;
    } else {
      reactor.schedule(delayNs, this::tick);
      delayNs = Math.min(LAST_NS, delayNs * 2);
    }
  }

  private static boolean needsLink(Stream stream) {
    StreamLink link = stream.link();
    return stream.isOpen() && link != null && link.isDead() && !link.isPeerClosed();
  }
}
