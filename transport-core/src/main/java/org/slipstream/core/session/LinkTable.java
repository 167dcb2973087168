package org.slipstream.core.session;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/**
 * The links of a process by name, and the rule by which their memory comes back: a window is reused
 * only when our stream is closed <em>and</em> the peer has said CLOSED. Reactor only, but for
 * {@link StreamLink.LinkControl}.
 */
final class LinkTable implements StreamLink.LinkControl {

  private static final class Entry {
    final StreamLink link;
    final Stream stream;
    boolean unusedHere;
    boolean closedThere;
    boolean lost;

    Entry(StreamLink link, Stream stream) {
      this.link = link;
      this.stream = stream;
    }
  }

  private final Reactor reactor;
  private final Consumer<Stream> lost;
  private final Map<Long, Entry> entries = new HashMap<>();
  private long nextId = 1;

  /**
   * Makes a table.
   *
   * @param reactor on which it lives
   * @param lost told of each stream whose link failed while the stream lives; on the reactor
   */
  LinkTable(Reactor reactor, Consumer<Stream> lost) {
    this.reactor = reactor;
    this.lost = lost;
  }

  long newId() {
    return nextId++;
  }

  void add(StreamLink link, Stream stream) {
    entries.put(link.id(), new Entry(link, stream));
  }

  int size() {
    return entries.size();
  }

  // -- what streams ask, any thread ------------------------------------------------------------

  @Override
  public void sendCreditNotice(StreamLink link) {
    Frame.send(link.session(), Frame.CREDIT, link.peerId());
  }

  @Override
  public void sendStandDown(StreamLink link) {
    Frame.send(link.session(), Frame.STAND_DOWN, link.peerId());
  }

  @Override
  public void linkFailed(StreamLink link) {
    reactor.execute(() -> {
      Entry entry = entries.get(link.id());
      if (entry != null && !entry.unusedHere) {
        fail(entry);
      }
    });
  }

  /** A session is lost first, and then each direction finds that out: that is one loss. */
  private void fail(Entry entry) {
    entry.link.markLost();
    entry.stream.linkChanged();
    if (!entry.lost && entry.link.equals(entry.stream.link())) {
      entry.lost = true;
      lost.accept(entry.stream);
    }
  }

  @Override
  public void linkUnused(StreamLink link) {
    reactor.execute(() -> unusedHere(link));
  }

  // -- reactor ---------------------------------------------------------------------------------

  private void unusedHere(StreamLink link) {
    Entry entry = entries.get(link.id());
    if (entry == null || entry.unusedHere) {
      return;
    }
    entry.unusedHere = true;
    link.link().release();
    if (link.session().isOpen()) {
      Frame.send(link.session(), Frame.CLOSED, link.peerId());
    } else {
      entry.closedThere = true;
    }
    freeIfDone(entry);
  }

  private void freeIfDone(Entry entry) {
    if (entry.unusedHere && entry.closedThere) {
      entries.remove(entry.link.id());
      giveBack(entry.link.session(), entry.link.window());
    }
  }

  static void giveBack(Session session, Window window) {
    if (session.isOpen()) {
      window.free();
    } else {
      window.quarantine();
    }
  }

  void closedThere(long id, Session from) {
    Entry entry = find(id, from);
    if (entry != null) {
      entry.closedThere = true;
      freeIfDone(entry);
      if (!entry.unusedHere) {
        entry.link.markPeerClosed();
        entry.stream.linkChanged();
      }
    }
  }

  void credit(long id, Session from) {
    Entry entry = find(id, from);
    if (entry != null) {
      entry.stream.linkChanged();
    }
  }

  /** The peer wants a direction back on the anchor; returns its stream, which may be silent. */
  @Nullable Stream standDown(long id, Session from) {
    Entry entry = find(id, from);
    if (entry == null) {
      return null;
    }
    entry.link.markStandDown();
    entry.stream.linkChanged();
    return entry.stream;
  }

  /** A peer may name only links of its own session. */
  private @Nullable Entry find(long id, Session from) {
    Entry entry = entries.get(id);
    return entry != null && entry.link.session().equals(from) ? entry : null;
  }

  void sessionLost(Session session) {
    List<Entry> failed = new ArrayList<>();
    for (Entry entry : entries.values()) {
      if (entry.link.session().equals(session)) {
        failed.add(entry);
      }
    }
    for (Entry entry : failed) {
      entry.closedThere = true;
      fail(entry);
      freeIfDone(entry);
    }
  }
}
