package org.slipstream.testkit.conformance;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.slipstream.testkit.Carrier;

/**
 * The contracts of the NIO adapter that hold however far away the peer is: for rows whose
 * connections go through another process ({@link Carrier#route}). Everything about connecting,
 * addresses, backlogs, resets, options and urgent data is the relay's there, and left out, and so
 * are single tests that the stock row fails because of the relay: an override without {@code @Test}
 * is none.
 */
public abstract class StreamConformance {

  /** Nothing is opened yet. */
  protected StreamConformance() {}

  /** What carries the bytes in this row; the same for all tests. */
  protected abstract Carrier carrier();

  @Nested
  @Tag("Buffers")
  class Buffers extends BufferContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }
  }

  @Nested
  @Tag("ScatterGather")
  class ScatterGather extends ScatterGatherContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Transfers")
  class Transfers extends TransferContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }
  }

  @Nested
  @Tag("BlockingModes")
  class BlockingModes extends BlockingModeContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Selections")
  class Selections extends SelectContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }
  }

  @Nested
  @Tag("SelectActions")
  class SelectActions extends SelectActionContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }

    /** Expects five messages at once. */
    @Override
    void theActionIsCalledOnceForEachReadyKey() {}
  }

  @Nested
  @Tag("SelectorConcurrency")
  class SelectorConcurrency extends SelectorConcurrencyContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Readiness")
  class Readiness extends ReadinessContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }

    /** A reset. */
    @Override
    void aResetStreamIsReadableAndReadingSaysSo() {}
  }

  @Nested
  @Tag("WakeUps")
  class WakeUps extends WakeUpContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }
  }

  @Nested
  @Tag("HalfClose")
  class HalfClose extends HalfCloseContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }
  }

  @Nested
  @Tag("EndOfStream")
  class EndOfStream extends EndOfStreamContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Interrupts")
  class Interrupts extends InterruptContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }
  }

  @Nested
  @Tag("AsynchronousClose")
  class AsynchronousClose extends AsynchronousCloseContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }
  }

  @Nested
  @Tag("VirtualThreads")
  class VirtualThreads extends VirtualThreadContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }

    /** Counts what the kernel holds for one connection. */
    @Override
    void twelveThreadsBlockInWritesOfTheirOwnStreams() {}

    /** Compares addresses. */
    @Override
    void fiftyThreadsBlockInAccept() {}
  }

  @Nested
  @Tag("ChannelStreams")
  class ChannelStreams extends ChannelStreamContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }
  }

  @Nested
  @Tag("FileTransfers")
  class FileTransfers extends FileTransferContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Tls")
  class Tls extends TlsContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }
  }

  @Nested
  @Tag("Soak")
  class Soak extends SoakContract {
    @Override
    protected Carrier carrier() {
      return StreamConformance.this.carrier();
    }
  }
}
