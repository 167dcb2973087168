package org.slipstream.testkit.conformance;

import org.junit.jupiter.api.Nested;
import org.slipstream.testkit.Carrier;

/**
 * All contracts of the NIO face. A row of the matrix is one subclass that names its carrier:
 *
 * <pre>{@code
 * final class StockNioConformanceTest extends NioConformance {
 *   @Override
 *   protected Carrier carrier() {
 *     return CARRIER;
 *   }
 * }
 * }</pre>
 */
public abstract class NioConformance {

  /** Nothing is opened yet. */
  protected NioConformance() {}

  /** What carries the bytes in this row; the same for all tests. */
  protected abstract Carrier carrier();

  @Nested
  class Connecting extends ConnectContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class ConnectionStates extends ConnectStateContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class Accepting extends AcceptContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class Buffers extends BufferContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class ScatterGather extends ScatterGatherContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class Transfers extends TransferContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class BlockingModes extends BlockingModeContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class Keys extends KeyContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class Selections extends SelectContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class SelectActions extends SelectActionContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class Readiness extends ReadinessContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class WakeUps extends WakeUpContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class SelectorConcurrency extends SelectorConcurrencyContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class HalfClose extends HalfCloseContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class EndOfStream extends EndOfStreamContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class Interrupts extends InterruptContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class AsynchronousClose extends AsynchronousCloseContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class SocketAdaptors extends SocketAdaptorContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class SocketTimeouts extends SocketTimeoutContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class ServerSocketAdaptors extends ServerSocketAdaptorContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class UrgentData extends UrgentDataContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class Options extends OptionContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class AddressFamilies extends AddressFamilyContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class OtherChannels extends OtherChannelsContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class VirtualThreads extends VirtualThreadContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class ChannelStreams extends ChannelStreamContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class FileTransfers extends FileTransferContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class Tls extends TlsContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class MixedPeers extends MixedPeerContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class Leaks extends LeakContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class Allocation extends AllocationContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  class Soak extends SoakContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }
}
