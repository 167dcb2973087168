package org.slipstream.ntb;

import java.io.IOException;

/** A segment of the peer's windows, mapped by us to write into. Reactor only. */
final class PeerSlab {
  private final SlabLayout layout;
  private final Imported imported;
  private final SetupThread setup;
  private int links;
  private boolean ended;

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
    links++;
    return new NtbLink(
        () -> session.abort("the link of " + session.fabricName() + " loses stores"),
        this,
        own.control(),
        own.ring(),
        imported,
        layout.controlOffset(slot),
        layout.ringOffset(slot),
        layout.ringBytes());
  }

  Imported.Health health() {
    return imported.health();
  }

  void released() {
    links--;
    closeIfDone();
  }

  void sessionEnded() {
    ended = true;
    closeIfDone();
  }

  private void closeIfDone() {
    if (ended && links == 0) {
      links = -1;
      setup.execute(imported::close);
    }
  }
}
