package org.slipstream.testkit.conformance;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.slipstream.testkit.Carrier;

/**
 * All contracts of the NIO adapter. A row of the matrix is one subclass that names its carrier:
 *
 * <pre>{@code
 * final class StockNioConformanceTest extends NioConformance {
 *   @Override
 *   protected Carrier carrier() {
 *     return CARRIER;
 *   }
 * }
 * }</pre>
 *
 * <p>Each group has its name as a tag, so that {@code -Dtest=StockNioConformanceTest
 * -Dgroups=WakeUps} runs one group of one row.
 */
public abstract class NioConformance {

  /** Nothing is opened yet. */
  protected NioConformance() {}

  /** What carries the bytes in this row; the same for all tests. */
  protected abstract Carrier carrier();

  @Nested
  @Tag("Connecting")
  class Connecting extends ConnectContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("ConnectionStates")
  class ConnectionStates extends ConnectStateContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Accepting")
  class Accepting extends AcceptContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Buffers")
  class Buffers extends BufferContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("ScatterGather")
  class ScatterGather extends ScatterGatherContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Transfers")
  class Transfers extends TransferContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("BlockingModes")
  class BlockingModes extends BlockingModeContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Keys")
  class Keys extends KeyContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Selections")
  class Selections extends SelectContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SelectActions")
  class SelectActions extends SelectActionContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Readiness")
  class Readiness extends ReadinessContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("WakeUps")
  class WakeUps extends WakeUpContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SelectorConcurrency")
  class SelectorConcurrency extends SelectorConcurrencyContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("HalfClose")
  class HalfClose extends HalfCloseContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("EndOfStream")
  class EndOfStream extends EndOfStreamContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Resets")
  class Resets extends ResetContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Interrupts")
  class Interrupts extends InterruptContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("AsynchronousClose")
  class AsynchronousClose extends AsynchronousCloseContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SocketAdaptors")
  class SocketAdaptors extends SocketAdaptorContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SocketTimeouts")
  class SocketTimeouts extends SocketTimeoutContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("ServerSocketAdaptors")
  class ServerSocketAdaptors extends ServerSocketAdaptorContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("UrgentData")
  class UrgentData extends UrgentDataContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Options")
  class Options extends OptionContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("AddressFamilies")
  class AddressFamilies extends AddressFamilyContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("OtherChannels")
  class OtherChannels extends OtherChannelsContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("VirtualThreads")
  class VirtualThreads extends VirtualThreadContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("ChannelStreams")
  class ChannelStreams extends ChannelStreamContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("FileTransfers")
  class FileTransfers extends FileTransferContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SendFiles")
  class SendFiles extends SendFileContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("DirectFiles")
  class DirectFiles extends DirectFileContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Tls")
  class Tls extends TlsContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("MixedPeers")
  class MixedPeers extends MixedPeerContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Leaks")
  class Leaks extends LeakContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Allocation")
  class Allocation extends AllocationContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Soak")
  class Soak extends SoakContract {
    @Override
    protected Carrier carrier() {
      return NioConformance.this.carrier();
    }
  }
}
