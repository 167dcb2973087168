package org.slipstream.testkit.socket;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.slipstream.testkit.Carrier;

/** All contracts of {@code java.net} sockets; a subclass names its carrier. */
public abstract class SocketConformance {

  /** Nothing is opened yet. */
  protected SocketConformance() {}

  /** What carries the bytes in this row; the same for all tests. */
  protected abstract Carrier carrier();

  @Nested
  @Tag("SocketConnecting")
  class Connecting extends ConnectContract {
    @Override
    protected Carrier carrier() {
      return SocketConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SocketAccepting")
  class Accepting extends AcceptContract {
    @Override
    protected Carrier carrier() {
      return SocketConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SocketTransfers")
  class Transfers extends TransferContract {
    @Override
    protected Carrier carrier() {
      return SocketConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SocketTimeouts")
  class Timeouts extends TimeoutContract {
    @Override
    protected Carrier carrier() {
      return SocketConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SocketEnds")
  class Ends extends EndContract {
    @Override
    protected Carrier carrier() {
      return SocketConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SocketClosing")
  class Closing extends CloseContract {
    @Override
    protected Carrier carrier() {
      return SocketConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SocketInterrupts")
  class Interrupts extends InterruptContract {
    @Override
    protected Carrier carrier() {
      return SocketConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SocketOptions")
  class Options extends OptionContract {
    @Override
    protected Carrier carrier() {
      return SocketConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SocketUrgentData")
  class UrgentData extends UrgentContract {
    @Override
    protected Carrier carrier() {
      return SocketConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SocketProxies")
  class Proxies extends ProxyContract {
    @Override
    protected Carrier carrier() {
      return SocketConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SocketMixedPeers")
  class MixedPeers extends MixedPeerContract {
    @Override
    protected Carrier carrier() {
      return SocketConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SocketTls")
  class Tls extends TlsContract {
    @Override
    protected Carrier carrier() {
      return SocketConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SocketLeaks")
  class Leaks extends LeakContract {
    @Override
    protected Carrier carrier() {
      return SocketConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SocketAllocation")
  class Allocation extends AllocationContract {
    @Override
    protected Carrier carrier() {
      return SocketConformance.this.carrier();
    }
  }
}
