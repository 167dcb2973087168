package org.slipstream.it.conformance;

import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.StockCarrier;
import org.slipstream.testkit.socket.SocketConformance;

/** The first row: what fails here is a wrong test. */
final class StockSocketConformanceTest extends SocketConformance {

  private static final Carrier CARRIER = new StockCarrier();

  @Override
  protected Carrier carrier() {
    return CARRIER;
  }
}
