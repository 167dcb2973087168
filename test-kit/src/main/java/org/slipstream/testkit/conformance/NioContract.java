package org.slipstream.testkit.conformance;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.RowContract;
import org.slipstream.testkit.shape.Shape;

/**
 * What all contracts of the NIO adapter have in common: a carrier, and a network that is tidied up.
 */
@Timeout(value = 240, unit = SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class NioContract extends RowContract implements Shape {

  /** Long enough for what must not happen to happen. */
  protected static final Duration A_WHILE = Duration.ofMillis(100);

  private @Nullable Network network;

  /** Nothing is opened yet. */
  protected NioContract() {}

  /** The network of this test. */
  protected final Network net() {
    Network current = network;
    if (current == null) {
      throw new IllegalStateException("There is a network only during a test");
    }
    return current;
  }

  @Override
  public final Connection freshConnection() throws IOException {
    return ChannelEnd.connection(net().freshPair());
  }

  @Override
  public final Connection settledConnection() throws IOException {
    return ChannelEnd.connection(net().settledPair());
  }

  @BeforeEach
  final void openNetwork() {
    network = new Network(carrier());
  }

  @AfterEach
  @Timeout(value = 120, unit = SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  final void closeNetwork() {
    try (Network closing = net()) {
      closing.assertCarried();
    }
  }

  /** Passes a null to code whose answer to null is the point of a test. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  protected static <T> T nothing() {
    return null;
  }
}
