package org.slipstream.testkit.asynchronous;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.slipstream.testkit.Row;

/** All contracts of the asynchronous adapter; a subclass names its carrier. */
public abstract class AsynchronousConformance extends Row {

  /** Nothing is opened yet. */
  protected AsynchronousConformance() {}

  @Nested
  @Tag("AsynchronousConnecting")
  class Connecting extends ConnectContract {}

  @Nested
  @Tag("AsynchronousAccepting")
  class Accepting extends AcceptContract {}

  @Nested
  @Tag("AsynchronousTransfers")
  class Transfers extends TransferContract {}

  @Nested
  @Tag("AsynchronousTimeouts")
  class Timeouts extends TimeoutContract {}

  @Nested
  @Tag("AsynchronousEnds")
  class Ends extends EndContract {}

  @Nested
  @Tag("AsynchronousHandlers")
  class Handlers extends HandlerContract {}

  @Nested
  @Tag("AsynchronousGroups")
  class Groups extends GroupContract {}
}
