package org.slipstream.testkit.socket;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** All contracts of {@code java.net} sockets; a subclass names its carrier. */
public abstract class SocketConformance extends WaitingSocketConformance {

  /** Nothing is opened yet. */
  protected SocketConformance() {}

  @Nested
  @Tag("SocketOptions")
  class Options extends OptionContract {}
}
