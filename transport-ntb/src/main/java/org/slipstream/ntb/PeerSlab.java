package org.slipstream.ntb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A segment of the peer's windows, mapped by us to write into. Reactor only. */
final class PeerSlab {
  private final SlabLayout layout;
  private final Imported imported;
  private final SetupThread setup;
  private final List<NtbLink> links = new ArrayList<>();
  private boolean ended;
  private boolean closed;

  PeerSlab(Imported imported, SlabLayout layout, SetupThread setup) throws IOException {
    this.setup = setup;
    this.layout = layout;
    this.imported = imported;
    if (!layout.isValid() || imported.memory().byteSize() < layout.bytes()) {
      imported.close();
      throw new IOException("Peer describes an impossible slab: " + layout);
    }
  }

  /** Joins a slot; the slot number is the peer's word. */
  NtbLink join(NtbSession session, NtbWindow own, int slot) throws IOException {
    if (slot < 0 || slot >= layout.slots() || ended) {
      throw new IOException("Peer names slot " + slot + " of " + layout.slots());
    }
    NtbLink link =
        new NtbLink(
            () -> session.abort("the link of " + session.fabricName() + " loses stores"),
            this,
            own.control(),
            own.ring(),
            imported,
            layout.controlOffset(slot),
            layout.ringOffset(slot),
            layout.ringBytes());
    links.add(link);
    return link;
  }

  Imported.Health health() {
    return imported.health();
  }

  /** How long a reader has waited at most for bytes whose position has arrived, in nanoseconds. */
  long doubtedFor(long now) {
    long longest = 0;
    for (NtbLink link : links) {
      longest = Math.max(longest, link.doubtedFor(now));
    }
    return longest;
  }

  void released(NtbLink link) {
    links.remove(link);
    closeIfDone();
  }

  void sessionEnded() {
    ended = true;
    closeIfDone();
  }

  private void closeIfDone() {
    if (ended && !closed && links.isEmpty()) {
      closed = true;
      setup.execute(imported::close);
    }
  }
}
