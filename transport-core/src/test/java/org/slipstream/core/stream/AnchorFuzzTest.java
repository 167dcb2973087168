package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.slipstream.core.ring.ControlLayout;

/**
 * A peer that knows the nonce and then sends any octets, positions of failover and words of the
 * window, in any order, while the program reads, writes and selects: only its own stream ends, with
 * an IOException, and the link is given back once.
 */
class AnchorFuzzTest {
  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** The peer's moves. */
  enum Move {
    ANY_OCTET,
    RAW_BYTES,
    MARK,
    SWITCH,
    BELL,
    BACK,
    FAIL,
    WORD,
    RING_BYTES,
    READ_HIS_RING,
    END
  }

  /** The program's answers. */
  enum Answer {
    READ,
    WRITE_LITTLE,
    WRITE_MUCH,
    ABSORB,
    ARM,
    ARM_FOR_SPACE,
    LOOK,
    NUDGE,
    HALF_CLOSE,
    NOTHING
  }

  record Step(Move move, int where, long value, Answer answer) {}

  @Provide
  Arbitrary<List<Step>> scripts() {
    Arbitrary<Long> values =
        Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(6, Arbitraries.longs().between(-3, 70)),
            net.jqwik.api.Tuple.of(2, Arbitraries.longs().between(0, 3L * Bench.RING)),
            net.jqwik.api.Tuple.of(1, Arbitraries.longs()),
            net.jqwik.api.Tuple.of(1, Arbitraries.longs().between(0, 300).map(v -> (v << 16) | 1)));
    return Combinators.combine(
            Arbitraries.of(Move.class),
            Arbitraries.integers().between(0, ControlLayout.BYTES / Long.BYTES - 1),
            values,
            Arbitraries.of(Answer.class))
        .as(Step::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(30);
  }

  @Property(tries = 1_500, edgeCases = EdgeCasesMode.NONE)
  void onlyItsOwnStreamEnds(
      @ForAll boolean client, @ForAll boolean marked, @ForAll("scripts") List<Step> script)
      throws IOException {
    Bench bench = client ? Bench.client() : Bench.server();
    try {
      bench.attached().nonBlocking();
      if (marked) {
        bench.peerSwitchesAt(0);
      }
      for (Step step : script) {
        move(bench, step);
        try {
          answer(bench, step.answer);
        } catch (IOException e) {
          assertThat(e.toString()).isNotBlank();
        }
      }
    } finally {
      bench.close();
    }
    assertThat(bench.unused).as("times that the link was given back").hasValue(1);
  }

  private static void move(Bench bench, Step step) {
    try {
      switch (step.move) {
        case ANY_OCTET -> bench.wire((byte) step.value);
        case RAW_BYTES -> bench.wire(new byte[step.where + 1]);
        case MARK -> bench.wire(bench.nonce);
        case SWITCH -> bench.peerSwitchesAt(step.value);
        case BELL -> bench.wire(ControlOctets.BELL);
        case BACK -> bench.wire(bench.back(step.value));
        case FAIL -> {
          ByteBuffer octets = ByteBuffer.allocate(1 + Long.BYTES);
          bench.wire(octets.put(ControlOctets.FAIL).putLong(step.value).array());
        }
        case WORD ->
            bench.link.window().control().set(WORD, (long) step.where * Long.BYTES, step.value);
        case RING_BYTES -> bench.ring("0123456789".repeat(1 + step.where));
        case READ_HIS_RING -> bench.fromRing();
        case END -> bench.wire.shutdownOutput();
      }
    } catch (IOException e) {
      assertThat(e.toString()).isNotBlank(); // the stream has ended: there is nobody to talk to
    }
  }

  private static void answer(Bench bench, Answer answer) throws IOException {
    Readiness readiness = bench.stream.readiness();
    switch (answer) {
      case READ -> bench.read(500, false);
      case WRITE_LITTLE -> bench.write("little", false);
      case WRITE_MUCH -> bench.write("much".repeat(Bench.RING / 8), false);
      case ABSORB -> readiness.absorb();
      case ARM -> readiness.armForRead();
      case ARM_FOR_SPACE ->
          assertThat(readiness.armForSpace()).isBetween(0L, SpillRule.PATIENCE_NS);
      case LOOK -> assertThat(readiness.readable() || readiness.writable()).isIn(true, false);
      case NUDGE -> bench.stream.nudge();
      case HALF_CLOSE -> bench.stream.shutdownOutput();
      case NOTHING -> bench.stream.status();
    }
  }
}
