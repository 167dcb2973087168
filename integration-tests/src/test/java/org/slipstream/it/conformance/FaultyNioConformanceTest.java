package org.slipstream.it.conformance;

import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestWatcher;
import org.slipstream.shm.ShmTransport;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.Seed;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.conformance.NioConformance;
import org.slipstream.testkit.fault.Faults;
import org.slipstream.testkit.fault.FaultyTransport;

/** Our adapter over links whose stores are late and whose windows are small. */
final class FaultyNioConformanceTest extends NioConformance {

  private static final long SEED = Seed.draw();

  private static final Carrier CARRIER =
      new SlipstreamCarrier(
          "faulty",
          new Properties(),
          List.of(new FaultyTransport(new ShmTransport(), Faults.ALL, SEED)),
          false);

  /** To repeat a failure its seed is needed. */
  @RegisterExtension
  static final TestWatcher WATCHER =
      new TestWatcher() {
        @Override
        public void testFailed(ExtensionContext context, Throwable cause) {
          context.publishReportEntry(Seed.PROPERTY, Long.toString(SEED));
        }
      };

  @Override
  protected Carrier carrier() {
    return CARRIER;
  }
}
