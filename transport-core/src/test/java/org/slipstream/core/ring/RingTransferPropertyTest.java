package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.slipstream.testkit.transport.HeapWindow;

/** Whatever is written in whatever way arrives once, in order, and inside the rules of the ring. */
class RingTransferPropertyTest {

  enum Kind {
    WRITE,
    GATHER,
    READ,
    ARM,
    STARVE
  }

  /** Something that one end does. */
  record Step(boolean byA, Kind kind, int size, boolean direct) {}

  record Shape(int ringBytes, int committed) {}

  @Provide
  Arbitrary<Shape> shapes() {
    Arbitrary<Integer> logSize = Arbitraries.integers().between(8, 16);
    Arbitrary<Integer> grantShift = Arbitraries.integers().between(0, 4);
    return Combinators.combine(logSize, grantShift)
        .as((log, shift) -> new Shape(1 << log, (1 << log) >> shift));
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Integer> sizes =
        Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(4, Arbitraries.integers().between(0, 90)),
            net.jqwik.api.Tuple.of(2, Arbitraries.integers().between(0, 3_000)),
            net.jqwik.api.Tuple.of(1, Arbitraries.integers().between(0, 3 << 16)));
    return Combinators.combine(
            Arbitraries.of(true, false),
            Arbitraries.frequency(
                net.jqwik.api.Tuple.of(4, Kind.WRITE),
                net.jqwik.api.Tuple.of(2, Kind.GATHER),
                net.jqwik.api.Tuple.of(5, Kind.READ),
                net.jqwik.api.Tuple.of(1, Kind.ARM),
                net.jqwik.api.Tuple.of(1, Kind.STARVE)),
            sizes,
            Arbitraries.of(true, false))
        .as(Step::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(60);
  }

  @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
  void theSameBytesArriveInTheSameOrder(
      @ForAll("shapes") Shape shape, @ForAll("steps") List<Step> steps) throws IOException {
    run(RingEnd.two(shape.ringBytes, shape.committed), steps, 0);
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void positionsNearTheEndOfTheMailboxArithmeticWorkAsAnyOther(
      @ForAll("shapes") Shape shape, @ForAll("steps") List<Step> steps) throws IOException {
    RingEnd.Two two = RingEnd.two(shape.ringBytes, shape.ringBytes);
    long start = (1L << 55) - 1 - shape.ringBytes;
    Positions.moveTo(two, start);
    run(two, steps, start);
  }

  private static void run(RingEnd.Two two, List<Step> steps, long start) throws IOException {
    TransferModel fromA = new TransferModel(two.a(), two.b(), start);
    TransferModel fromB = new TransferModel(two.b(), two.a(), start);
    for (Step s : steps) {
      TransferModel out = s.byA ? fromA : fromB;
      TransferModel in = s.byA ? fromB : fromA;
      switch (s.kind) {
        case WRITE -> out.write(s.size, s.direct);
        case GATHER -> out.gather(s.size, s.direct);
        case READ -> in.read(s.size, s.direct);
        case ARM -> in.arm();
        case STARVE -> out.starve();
      }
      fromA.check();
      fromB.check();
    }
    fromA.drain();
    fromB.drain();
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void aReadTakesWhatThereIsAndNoMore(@ForAll("steps") List<Step> steps, @ForAll boolean direct)
      throws IOException {
    RingEnd.Two two = RingEnd.two(4096, 4096);
    TransferModel model = new TransferModel(two.a(), two.b(), 0);
    for (Step s : steps) {
      model.write(s.size, s.direct);
      int there = two.b().consumer().availableBytes();
      assertThat(model.read(s.size / 2, direct)).isEqualTo(Math.min(there, s.size / 2));
    }
  }

  @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
  void nothingIsWrittenBeyondTheCommittedSize(
      @ForAll("shapes") Shape shape, @ForAll("steps") List<Step> steps) throws IOException {
    RingEnd.Two two = RingEnd.two(shape.ringBytes, shape.committed);
    HeapWindow window = two.b().link().window();
    window.refuseToGrowBeyond(shape.committed);
    ByteBuffer beyond = window.ring().asByteBuffer().position(shape.committed).slice();
    TransferModel model = new TransferModel(two.a(), two.b(), 0);
    for (Step s : steps) {
      model.write(s.size, s.direct);
      model.read(s.size, s.direct);
    }
    while (beyond.hasRemaining()) {
      assertThat(beyond.get()).isZero();
    }
  }
}
