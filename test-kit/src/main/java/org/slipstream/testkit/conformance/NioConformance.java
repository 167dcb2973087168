package org.slipstream.testkit.conformance;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

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
public abstract class NioConformance extends WaitingNioConformance {

  /** Nothing is opened yet. */
  protected NioConformance() {}

  @Nested
  @Tag("ConnectionStates")
  class ConnectionStates extends ConnectStateContract {}

  @Nested
  @Tag("ServerSocketAdaptors")
  class ServerSocketAdaptors extends ServerSocketAdaptorContract {}

  @Nested
  @Tag("Options")
  class Options extends OptionContract {}

  @Nested
  @Tag("AddressFamilies")
  class AddressFamilies extends AddressFamilyContract {}

  @Nested
  @Tag("OtherChannels")
  class OtherChannels extends OtherChannelsContract {}
}
