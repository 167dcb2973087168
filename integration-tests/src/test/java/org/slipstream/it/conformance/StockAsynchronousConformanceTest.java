package org.slipstream.it.conformance;

import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.StockCarrier;
import org.slipstream.testkit.asynchronous.AsynchronousConformance;

/** The first row: what fails here is a wrong test. */
final class StockAsynchronousConformanceTest extends AsynchronousConformance {

  private static final Carrier CARRIER = new StockCarrier();

  @Override
  protected Carrier carrier() {
    return CARRIER;
  }
}
