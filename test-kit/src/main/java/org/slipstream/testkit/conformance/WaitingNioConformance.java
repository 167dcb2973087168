package org.slipstream.testkit.conformance;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.slipstream.testkit.Row;

/**
 * The contracts of the NIO adapter in which a thread waits on a stream. A row over a transport that
 * another row runs whole, and that differs in nothing but how threads sleep, needs no others.
 */
public abstract class WaitingNioConformance extends Row {

  /** Nothing is opened yet. */
  protected WaitingNioConformance() {}

  @Nested
  @Tag("Connecting")
  class Connecting extends ConnectContract {}

  @Nested
  @Tag("Accepting")
  class Accepting extends AcceptContract {}

  @Nested
  @Tag("Buffers")
  class Buffers extends BufferContract {}

  @Nested
  @Tag("ScatterGather")
  class ScatterGather extends ScatterGatherContract {}

  @Nested
  @Tag("Transfers")
  class Transfers extends TransferContract {}

  @Nested
  @Tag("BlockingModes")
  class BlockingModes extends BlockingModeContract {}

  @Nested
  @Tag("Keys")
  class Keys extends KeyContract {}

  @Nested
  @Tag("Selections")
  class Selections extends SelectContract {}

  @Nested
  @Tag("SelectActions")
  class SelectActions extends SelectActionContract {}

  @Nested
  @Tag("Readiness")
  class Readiness extends ReadinessContract {}

  @Nested
  @Tag("WakeUps")
  class WakeUps extends WakeUpContract {}

  @Nested
  @Tag("SelectorConcurrency")
  class SelectorConcurrency extends SelectorConcurrencyContract {}

  @Nested
  @Tag("HalfClose")
  class HalfClose extends HalfCloseContract {}

  @Nested
  @Tag("EndOfStream")
  class EndOfStream extends EndOfStreamContract {}

  @Nested
  @Tag("Resets")
  class Resets extends ResetContract {}

  @Nested
  @Tag("Interrupts")
  class Interrupts extends InterruptContract {}

  @Nested
  @Tag("AsynchronousClose")
  class AsynchronousClose extends AsynchronousCloseContract {}

  @Nested
  @Tag("SocketAdaptors")
  class SocketAdaptors extends SocketAdaptorContract {}

  @Nested
  @Tag("SocketTimeouts")
  class SocketTimeouts extends SocketTimeoutContract {}

  @Nested
  @Tag("UrgentData")
  class UrgentData extends UrgentDataContract {}

  @Nested
  @Tag("VirtualThreads")
  class VirtualThreads extends VirtualThreadContract {}

  @Nested
  @Tag("ChannelStreams")
  class ChannelStreams extends ChannelStreamContract {}

  @Nested
  @Tag("FileTransfers")
  class FileTransfers extends FileTransferContract {}

  @Nested
  @Tag("SendFiles")
  class SendFiles extends SendFileContract {}

  @Nested
  @Tag("DirectFiles")
  class DirectFiles extends DirectFileContract {}

  @Nested
  @Tag("Tls")
  class Tls extends TlsContract {}

  @Nested
  @Tag("MixedPeers")
  class MixedPeers extends MixedPeerContract {}

  @Nested
  @Tag("Leaks")
  class Leaks extends LeakContract {}

  @Nested
  @Tag("Allocation")
  class Allocation extends AllocationContract {}

  @Nested
  @Tag("Soak")
  class Soak extends SoakContract {}
}
