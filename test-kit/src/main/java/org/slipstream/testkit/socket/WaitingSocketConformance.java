package org.slipstream.testkit.socket;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.slipstream.testkit.Row;

/**
 * The contracts of {@code java.net} sockets in which a thread waits on a stream; see {@link
 * org.slipstream.testkit.conformance.WaitingNioConformance}.
 */
public abstract class WaitingSocketConformance extends Row {

  /** Nothing is opened yet. */
  protected WaitingSocketConformance() {}

  @Nested
  @Tag("SocketConnecting")
  class Connecting extends ConnectContract {}

  @Nested
  @Tag("SocketAccepting")
  class Accepting extends AcceptContract {}

  @Nested
  @Tag("SocketTransfers")
  class Transfers extends TransferContract {}

  @Nested
  @Tag("SocketTimeouts")
  class Timeouts extends TimeoutContract {}

  @Nested
  @Tag("SocketEnds")
  class Ends extends EndContract {}

  @Nested
  @Tag("SocketClosing")
  class Closing extends CloseContract {}

  @Nested
  @Tag("SocketInterrupts")
  class Interrupts extends InterruptContract {}

  @Nested
  @Tag("SocketUrgentData")
  class UrgentData extends UrgentContract {}

  @Nested
  @Tag("SocketProxies")
  class Proxies extends ProxyContract {}

  @Nested
  @Tag("SocketMixedPeers")
  class MixedPeers extends MixedPeerContract {}

  @Nested
  @Tag("SocketTls")
  class Tls extends TlsContract {}

  @Nested
  @Tag("SocketLeaks")
  class Leaks extends LeakContract {}

  @Nested
  @Tag("SocketAllocation")
  class Allocation extends AllocationContract {}
}
