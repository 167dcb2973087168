package org.slipstream.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.core.api.Reason;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.provider.nio.Installation;
import org.slipstream.shm.ShmTransport;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Seed;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.Tape;
import org.slipstream.testkit.fault.Faults;
import org.slipstream.testkit.fault.FaultyTransport;

/** A medium that becomes slower than the kernel's TCP: its streams go there, and come back. */
@Timeout(280)
class SlowFabricTest {
  private static final int MESSAGE = 64;

  /** For each store; a message takes several. */
  private static final long BUSY_NS = TimeUnit.MILLISECONDS.toNanos(2);

  @RegisterExtension final Seed seeds = new Seed();

  private volatile boolean over;

  private static StreamStatus status(Pair pair) {
    StreamStatus status = Installation.status(pair.client());
    assertThat(status).isNotNull();
    return status;
  }

  private long echo(Pair pair) throws Exception {
    Tape tape = new Tape(seeds.value());
    ByteBuffer ping = ByteBuffer.allocate(MESSAGE);
    while (pair.server().read(ping) >= 0) { // the client says when it is over
      if (!ping.hasRemaining()) {
        tape.verify(ping.flip());
        pair.server().write(ping.rewind());
        ping.clear();
      }
    }
    return tape.position();
  }

  private long ping(Pair pair) throws Exception {
    Tape tape = new Tape(seeds.value());
    Tape expected = new Tape(seeds.value());
    while (!over) {
      pair.client().write(tape.next(MESSAGE));
      ByteBuffer pong = ByteBuffer.allocate(MESSAGE);
      while (pong.hasRemaining() && pair.client().read(pong) >= 0) {}
      expected.verify(pong.flip());
    }
    pair.client().shutdownOutput();
    return tape.position();
  }

  @Test
  void streamsOfASessionThatIsSlowerThanTcpStayThereForAWhile() throws Exception {
    FaultyTransport transport =
        new FaultyTransport(new ShmTransport(), new Faults(true, false, false), seeds.value());
    SlipstreamCarrier carrier =
        new SlipstreamCarrier("slow", new Properties(), List.of(transport), false);
    try (Network net = new Network(carrier)) {
      Pair pair = net.settledPair();
      Background<Long> echo = Background.call(() -> echo(pair));
      Background<Long> pings = Background.call(() -> ping(pair));
      try {
        await().untilAsserted(() -> assertThat(status(pair).isAccelerated()).isTrue());
        transport.slowDown(BUSY_NS);
        await()
            .failFast(() -> Background.requireGoingOn(List.of(echo, pings)))
            .untilAsserted(() ->
                assertThat(status(pair))
                    .matches(s -> !s.outOnRing() && !s.inOnRing(), "is on TCP")
                    .returns(Reason.SLOWER_THAN_TCP, StreamStatus::reason));
        transport.slowDown(0);
        await()
            .failFast(() -> Background.requireGoingOn(List.of(echo, pings)))
            .untilAsserted(() -> assertThat(status(pair).isAccelerated()).isTrue());
      } finally {
        over = true;
      }
      assertThat(pings.result()).as("bytes, there and back").isEqualTo(echo.result());
    }
  }
}
