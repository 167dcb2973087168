package org.slipstream.testkit.asynchronous;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.slipstream.testkit.Carrier;

/** All contracts of the asynchronous adapter; a subclass names its carrier. */
public abstract class AsynchronousConformance {

  /** Nothing is opened yet. */
  protected AsynchronousConformance() {}

  /** What carries the bytes in this row; the same for all tests. */
  protected abstract Carrier carrier();

  @Nested
  @Tag("AsynchronousConnecting")
  class Connecting extends ConnectContract {
    @Override
    protected Carrier carrier() {
      return AsynchronousConformance.this.carrier();
    }
  }

  @Nested
  @Tag("AsynchronousAccepting")
  class Accepting extends AcceptContract {
    @Override
    protected Carrier carrier() {
      return AsynchronousConformance.this.carrier();
    }
  }

  @Nested
  @Tag("AsynchronousTransfers")
  class Transfers extends TransferContract {
    @Override
    protected Carrier carrier() {
      return AsynchronousConformance.this.carrier();
    }
  }

  @Nested
  @Tag("AsynchronousTimeouts")
  class Timeouts extends TimeoutContract {
    @Override
    protected Carrier carrier() {
      return AsynchronousConformance.this.carrier();
    }
  }

  @Nested
  @Tag("AsynchronousEnds")
  class Ends extends EndContract {
    @Override
    protected Carrier carrier() {
      return AsynchronousConformance.this.carrier();
    }
  }

  @Nested
  @Tag("AsynchronousHandlers")
  class Handlers extends HandlerContract {
    @Override
    protected Carrier carrier() {
      return AsynchronousConformance.this.carrier();
    }
  }

  @Nested
  @Tag("AsynchronousGroups")
  class Groups extends GroupContract {
    @Override
    protected Carrier carrier() {
      return AsynchronousConformance.this.carrier();
    }
  }
}
