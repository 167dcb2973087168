package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Properties;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.slipstream.core.config.SlipstreamConfig;
import org.slipstream.core.stream.FakeSession;

/** A peer may send any frames; the answer is an IOException for its session, or nothing. */
class FrameRobustnessPropertyTest {
  private static SlipstreamCore core;

  @BeforeContainer
  static void start() throws IOException {
    // No transport: nothing of this process is visible to any other.
    core =
        SlipstreamCore.start(
            SlipstreamConfig.read(new Properties()),
            SelectorProvider.provider(),
            channel -> true,
            List.of());
  }

  @AfterContainer
  static void stop() {
    core.stop();
  }

  @Provide
  Arbitrary<byte[]> frames() {
    Arbitrary<byte[]> tails = Arbitraries.bytes().array(byte[].class).ofMinSize(0).ofMaxSize(120);
    Arbitrary<byte[]> typed =
        Combinators.combine(
                Arbitraries.bytes().between((byte) 0, (byte) 9),
                Arbitraries.oneOf(Arbitraries.longs().between(-2, 20), Arbitraries.longs()),
                tails)
            .as((type, id, tail) ->
                ByteBuffer.allocate(9 + tail.length).put(type).putLong(id).put(tail).array());
    return Arbitraries.frequencyOf(
        net.jqwik.api.Tuple.of(5, typed), net.jqwik.api.Tuple.of(1, tails));
  }

  @Property(tries = 2_000, edgeCases = EdgeCasesMode.NONE)
  void anyFramesAreIgnoredOrAnIoException(
      @ForAll("frames") byte[] first, @ForAll("frames") byte[] second) {
    FakeSession session = new FakeSession("hostile");
    for (byte[] frame : List.of(first, second)) {
      try {
        core.frameReceived(session, ByteBuffer.wrap(frame));
      } catch (IOException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
    core.sessionLost(session, "the test is over");
    assertThat(core.census()).as("streams, links, offers").containsOnly(0);
  }
}
