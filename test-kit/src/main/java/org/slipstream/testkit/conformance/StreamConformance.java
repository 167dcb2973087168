package org.slipstream.testkit.conformance;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.Row;

/**
 * The contracts of the NIO adapter that hold however far away the peer is: for rows whose
 * connections go through another process ({@link Carrier#route}). Everything about connecting,
 * addresses, backlogs, resets, options and urgent data is the relay's there, and left out, and so
 * are single tests that the stock row fails because of the relay: an override without {@code @Test}
 * is none.
 */
public abstract class StreamConformance extends Row {

  /** Nothing is opened yet. */
  protected StreamConformance() {}

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
  @Tag("Selections")
  class Selections extends SelectContract {}

  @Nested
  @Tag("SelectActions")
  class SelectActions extends SelectActionContract {
    /** Expects five messages at once. */
    @Override
    void theActionIsCalledOnceForEachReadyKey() {}
  }

  @Nested
  @Tag("SelectorConcurrency")
  class SelectorConcurrency extends SelectorConcurrencyContract {}

  @Nested
  @Tag("Readiness")
  class Readiness extends ReadinessContract {
    /** A reset. */
    @Override
    void aResetStreamIsReadableAndReadingSaysSo() {}
  }

  @Nested
  @Tag("WakeUps")
  class WakeUps extends WakeUpContract {}

  @Nested
  @Tag("HalfClose")
  class HalfClose extends HalfCloseContract {}

  @Nested
  @Tag("EndOfStream")
  class EndOfStream extends EndOfStreamContract {}

  @Nested
  @Tag("Interrupts")
  class Interrupts extends InterruptContract {}

  @Nested
  @Tag("AsynchronousClose")
  class AsynchronousClose extends AsynchronousCloseContract {}

  @Nested
  @Tag("VirtualThreads")
  class VirtualThreads extends VirtualThreadContract {
    /** Counts what the kernel holds for one connection. */
    @Override
    void twelveThreadsBlockInWritesOfTheirOwnStreams() {}

    /** Compares addresses. */
    @Override
    void fiftyThreadsBlockInAccept() {}
  }

  @Nested
  @Tag("ChannelStreams")
  class ChannelStreams extends ChannelStreamContract {}

  @Nested
  @Tag("FileTransfers")
  class FileTransfers extends FileTransferContract {}

  @Nested
  @Tag("Tls")
  class Tls extends TlsContract {}

  @Nested
  @Tag("Soak")
  class Soak extends SoakContract {}
}
