package org.slipstream.it.process;

import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.provider.nio.Installation;

/** What a child knows of its own streams; loaded by those that ask, as stock ones have no core. */
final class PeerStreams {
  private PeerStreams() {}

  /** As {@code slipstream ps --json} shows this process; empty if Slipstream is off. */
  static String asJson() {
    SlipstreamCore core = Installation.get().unwrap(SlipstreamCore.class);
    return core == null ? "" : core.inspect("streams");
  }
}
