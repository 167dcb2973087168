package org.slipstream.it.conformance;

import java.util.List;
import java.util.Properties;
import java.util.function.Supplier;
import org.slipstream.shm.ShmTransport;
import org.slipstream.testkit.RingShare;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.transport.Transport;

/** A row whose streams are on the ring from their first byte on, in short tests too. */
final class EagerRow {
  /** Longer than a link takes on a loaded machine; only a stream without a peer waits so long. */
  private static final int FIRST_WRITE_MILLIS = 200;

  private static final double LEAST_SHARE = 0.95;

  /** The adapters over shared memory share it. */
  static final EagerRow SHM = new EagerRow("shm-eager", new ShmTransport(), true);

  private final SlipstreamCarrier carrier;

  /**
   * Makes a row.
   *
   * @param allocationFree false if the transport is a tool of tests, and allocates
   */
  EagerRow(String name, Transport transport, boolean allocationFree) {
    Properties settings = new Properties();
    settings.setProperty("slipstream.test.eager", "" + FIRST_WRITE_MILLIS);
    this.carrier = new SlipstreamCarrier(name, settings, List.of(transport), allocationFree);
  }

  SlipstreamCarrier carrier() {
    return carrier;
  }

  /** As {@link #share()}, for a row that is made when its first test begins. */
  static RingShare share(Supplier<EagerRow> row) {
    return new RingShare(() -> row.get().carrier.core().ended(), LEAST_SHARE);
  }

  /** Fails the row if its streams stay on TCP. */
  RingShare share() {
    return share(() -> this);
  }
}
