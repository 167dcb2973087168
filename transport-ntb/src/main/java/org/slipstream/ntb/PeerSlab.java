package org.slipstream.ntb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slipstream.transport.Window;
import org.slipstream.transport.slab.SlabLayout;
import org.slipstream.transport.slab.Uses;

/** A segment of the peer's windows, mapped by us to write into. Reactor only. */
final class PeerSlab {
  private final SlabLayout layout;
  private final Imported imported;
  private final List<NtbLink> links = new ArrayList<>();
  private final Uses uses;

  PeerSlab(Imported imported, SlabLayout layout, SetupThread setup) throws IOException {
    this.layout = layout;
    this.imported = imported;
    Once close = new Once(imported::close);
    this.uses = new Uses(() -> setup.execute(close));
    if (!layout.isValid() || imported.memory().byteSize() < layout.bytes()) {
      imported.close();
      throw new IOException("Peer describes an impossible slab: " + layout);
    }
  }

  /**
   * Joins a slot.
   *
   * @param onFailure told if the link loses stores
   * @param own our window
   * @param slot the peer's word
   */
  NtbLink join(Runnable onFailure, Window own, int slot) throws IOException {
    layout.check(slot);
    if (!uses.begin()) {
      throw new IOException("the session is over");
    }
    try {
      NtbLink link =
          new NtbLink(
              onFailure,
              this::released,
              own.control(),
              own.ring(),
              imported,
              layout.controlOffset(slot),
              layout.ringOffset(slot),
              layout.ringBytes());
      links.add(link);
      return link;
    } catch (RuntimeException | Error e) {
      uses.done();
      throw e;
    }
  }

  Imported.Health health() {
    return imported.health();
  }

  /** How long a reader has waited at most for bytes whose position has arrived, in nanoseconds. */
  long pendingFor(long now) {
    long longest = 0;
    for (NtbLink link : links) {
      longest = Math.max(longest, link.pendingFor(now));
    }
    return longest;
  }

  private void released(NtbLink link) {
    links.remove(link);
    uses.done();
  }

  void sessionEnded() {
    uses.end();
  }
}
