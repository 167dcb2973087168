package org.slipstream.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.slipstream.shm.ShmTransport;
import org.slipstream.testkit.RingShare;
import org.slipstream.testkit.SlipstreamCarrier;

/**
 * A row over shared memory whose threads never look on before they sleep, so that each wait that
 * the peer ends is ended by a doorbell.
 */
final class AsleepRow {
  private static final int FIRST_WRITE_MILLIS = 200;
  private static final double LEAST_SHARE = 0.95;

  /** A row has thousands of waits; the first ones are ended by TCP, until the futex is ready. */
  private static final long LEAST_RUNG = 100;

  /** Blocked readers sleep on a futex. */
  static final AsleepRow FUTEX = new AsleepRow("shm-futex", "auto");

  /** Blocked readers sleep on the TCP connection. */
  static final AsleepRow TCP = new AsleepRow("shm-doorbell-tcp", "tcp");

  private final SlipstreamCarrier carrier;

  private AsleepRow(String name, String doorbell) {
    Properties settings = new Properties();
    settings.setProperty("slipstream.test.eager", "" + FIRST_WRITE_MILLIS);
    settings.setProperty("slipstream.spin.max", "0");
    settings.setProperty("slipstream.doorbell", doorbell);
    this.carrier = new SlipstreamCarrier(name, settings, List.of(new ShmTransport()));
  }

  SlipstreamCarrier carrier() {
    return carrier;
  }

  /** Fails the row if its streams stay on TCP. */
  RingShare share() {
    return new RingShare(carrier.core()::ended, LEAST_SHARE);
  }

  /** Fails the row if its readers sleep elsewhere. */
  AfterAllCallback rings() {
    return context -> {
      if (context.getParent().filter(p -> p.getTestClass().isPresent()).isEmpty()) {
        assertThat(Objects.requireNonNull(carrier.core().doorbells()).futexes().rung())
            .as("doorbells on the futex of a reader")
            .isGreaterThan(LEAST_RUNG);
      }
    };
  }
}
