package org.slipstream.it.process;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.StockCarrier;
import org.slipstream.testkit.conformance.StreamConformance;

/** The JDK's channels, with a relay between: what the row over two nodes is measured by. */
class RelayedStockConformanceIT extends StreamConformance {
  private static final Children CHILDREN = new Children();
  private static Carrier carrier;

  @BeforeAll
  static void start() throws Exception {
    CHILDREN.begin();
    carrier = new Relayed("stock-relayed", new StockCarrier(), CHILDREN.plain(), "127.0.0.1");
  }

  @AfterAll
  static void stop() throws Exception {
    CHILDREN.end(true);
  }

  @Override
  protected Carrier carrier() {
    return carrier;
  }
}
