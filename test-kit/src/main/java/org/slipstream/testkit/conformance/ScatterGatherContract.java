package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Tape;

/** One call, many buffers: in order, within the given range, and never beyond. */
public abstract class ScatterGatherContract extends NioContract {

  /** Nothing is opened yet. */
  protected ScatterGatherContract() {}

  @Test
  void gatheringTakesTheBuffersOfTheRangeInOrder() throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer[] sources = {
      Bytes.ascii("not this"), Bytes.ascii("one "), Bytes.ascii("two "), Bytes.ascii("nor that")
    };

    gather(pair.client(), sources, 1, 2, 8);

    assertThat(Bytes.read(pair.server(), 8)).isEqualTo("one two ");
    assertThat(sources[0].position()).isZero();
    assertThat(sources[3].position()).isZero();
  }

  @Test
  void scatteringFillsTheBuffersOfTheRangeInOrder() throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer[] targets = {
      ByteBuffer.allocate(5),
      ByteBuffer.allocate(2),
      ByteBuffer.allocateDirect(3),
      ByteBuffer.allocate(5)
    };
    Bytes.write(pair.client(), "abcdefgh");

    scatter(pair.server(), targets, 1, 2, 5);

    assertThat(targets[0].position()).isZero();
    assertThat(targets[1].flip()).isEqualTo(Bytes.ascii("ab"));
    assertThat(targets[2].flip()).isEqualTo(Bytes.ascii("cde"));
    assertThat(targets[3].position()).isZero();
    assertThat(Bytes.read(pair.server(), 3)).isEqualTo("fgh");
  }

  @Test
  void scatteringLessThanThereIsRoomForLeavesTheRestUntouched() throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer[] targets = {ByteBuffer.allocate(2), ByteBuffer.allocate(4), ByteBuffer.allocate(4)};
    Bytes.write(pair.client(), "abc");

    scatter(pair.server(), targets, 0, 3, 3);

    assertThat(targets[0].position()).isEqualTo(2);
    assertThat(targets[1].position()).isEqualTo(1);
    assertThat(targets[1].get(1)).isZero();
    assertThat(targets[2].position()).isZero();
  }

  @Test
  void buffersThatAreEmptyAreSteppedOver() throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer empty = ByteBuffer.allocate(0);
    ByteBuffer[] sources = {empty, Bytes.ascii("a"), empty, empty, Bytes.ascii("b"), empty};
    ByteBuffer[] targets = {empty, ByteBuffer.allocate(1), empty, ByteBuffer.allocateDirect(1)};

    gather(pair.client(), sources, 0, 6, 2);
    scatter(pair.server(), targets, 0, 4, 2);

    assertThat(targets[1].get(0)).isEqualTo((byte) 'a');
    assertThat(targets[3].get(0)).isEqualTo((byte) 'b');
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void nothingToMoveMovesNothingAndNeverBlocks(boolean blocking) throws Exception {
    Pair pair = net().settledPair().configureBlocking(blocking);
    ByteBuffer[] none = {};
    ByteBuffer[] empties = {ByteBuffer.allocate(0), ByteBuffer.allocateDirect(0)};

    for (ByteBuffer[] nothing : new ByteBuffer[][] {none, empties}) {
      assertThat(pair.client().read(nothing)).isZero();
      assertThat(pair.client().write(nothing)).isZero();
    }
    ByteBuffer[] some = {ByteBuffer.allocate(1)};
    assertThat(pair.client().read(some, 0, 0)).isZero();
    assertThat(pair.client().write(some, 1, 0)).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 17, 1024, 1025, 2500})
  void anyNumberOfBuffersIsAccepted(int count) throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer[] sources = new ByteBuffer[count];
    ByteBuffer[] targets = new ByteBuffer[count];
    Tape tape = new Tape(count);
    for (int i = 0; i < count; i++) {
      sources[i] = tape.next(1 + i % 5);
      targets[i] =
          i % 2 == 0 ? ByteBuffer.allocate(1 + i % 5) : ByteBuffer.allocateDirect(1 + i % 5);
    }

    gather(pair.client(), sources, 0, count, tape.position());
    scatter(pair.server(), targets, 0, count, tape.position());

    Tape expected = new Tape(count);
    for (ByteBuffer target : targets) {
      expected.verify(target.flip());
    }
  }

  @Test
  void largeAndSmallBuffersOfAllKindsMixInOneCall() throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer[] sources = new ByteBuffer[BufferKind.values().length * 3];
    Tape tape = new Tape(5);
    int i = 0;
    for (int length : new int[] {1, 100, 9000}) {
      for (BufferKind kind : BufferKind.values()) {
        ByteBuffer source = kind.allocate(length);
        tape.fill(source);
        sources[i++] = source.flip();
      }
    }

    gather(pair.server(), sources, 0, sources.length, tape.position());

    Bytes.readTape(pair.client(), new Tape(5), tape.position());
  }

  /** Large ones may travel from where they are; but not after the call. */
  @Test
  void largeBuffersMayBeFilledAgainWhenTheCallReturns() throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer[] sources = {
      ByteBuffer.allocate(100),
      ByteBuffer.allocateDirect(100_000),
      ByteBuffer.allocateDirect(10),
      ByteBuffer.allocateDirect(150_000)
    };
    int round = 250_110;
    int rounds = 30;
    Background<?> reader =
        Background.run(() -> Bytes.readTape(pair.server(), new Tape(8), (long) rounds * round));
    Tape tape = new Tape(8);
    for (int i = 0; i < rounds; i++) {
      for (ByteBuffer source : sources) {
        tape.fill(source.clear());
        source.flip();
      }
      gather(pair.client(), sources, 0, sources.length, round);
    }
    reader.result();
  }

  @Test
  void aRangeOutsideTheArrayIsRefused() throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer[] two = {ByteBuffer.allocate(1), ByteBuffer.allocate(1)};

    for (ThrowingCallable call :
        new ThrowingCallable[] {
          () -> pair.client().read(two, -1, 1),
          () -> pair.client().read(two, 0, 3),
          () -> pair.client().read(two, 2, 1),
          () -> pair.client().read(two, 0, -1),
          () -> pair.client().write(two, -1, 1),
          () -> pair.client().write(two, 1, 2),
          () -> pair.client().write(two, 0, -1)
        }) {
      assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(call);
    }
  }

  @Test
  void missingBuffersAreRefusedBeforeAnythingIsMoved() throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer[] withHole = {Bytes.ascii("a"), nothing()};

    assertThatNullPointerException().isThrownBy(() -> pair.client().write(withHole));
    assertThatNullPointerException().isThrownBy(() -> pair.client().read(withHole));
    assertThatNullPointerException()
        .isThrownBy(() -> pair.client().write((ByteBuffer[]) nothing()));
    assertThatNullPointerException().isThrownBy(() -> pair.client().read((ByteBuffer[]) nothing()));

    assertThat(withHole[0].position()).isZero();
    Bytes.exchange(pair.client(), pair.server(), "b");
  }

  @Test
  void scatteringAtTheEndOfTheStreamReturnsMinusOne() throws Exception {
    Pair pair = net().settledPair();
    Bytes.write(pair.client(), "ab");
    pair.client().shutdownOutput();
    ByteBuffer[] targets = {ByteBuffer.allocate(1), ByteBuffer.allocate(9)};

    scatter(pair.server(), targets, 0, 2, 2);

    assertThat(pair.server().read(targets)).isEqualTo(-1);
    assertThat(targets[1].position()).isEqualTo(1);
  }

  @Test
  void aGatheringWriteThatDoesNotFitWritesAPart() throws Exception {
    Pair pair = net().settledNonBlockingPair();
    Tape tape = new Tape(6);
    ByteBuffer[] sources = new ByteBuffer[64];
    for (int i = 0; i < sources.length; i++) {
      sources[i] = tape.next(256 * 1024);
    }

    long accepted = 0;
    for (long n = pair.client().write(sources); n > 0; n = pair.client().write(sources)) {
      accepted += n;
    }

    long taken = 0;
    for (ByteBuffer source : sources) {
      taken += source.position();
    }
    assertThat(accepted).isEqualTo(taken).isLessThan(tape.position());
    Bytes.readTape(pair.server(), new Tape(6), accepted);
  }

  private static void gather(
      GatheringByteChannel to, ByteBuffer[] sources, int offset, int length, long expected)
      throws IOException {
    for (long left = expected; left > 0; ) {
      long n = to.write(sources, offset, length);
      assertThat(n).isBetween(1L, left);
      left -= n;
    }
  }

  private static void scatter(
      ScatteringByteChannel from, ByteBuffer[] targets, int offset, int length, long expected)
      throws IOException {
    for (long left = expected; left > 0; ) {
      long n = from.read(targets, offset, length);
      assertThat(n).isBetween(1L, left);
      left -= n;
    }
  }
}
