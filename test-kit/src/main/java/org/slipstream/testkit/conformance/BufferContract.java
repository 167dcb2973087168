package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Tape;

/** Every kind of buffer may be written from, and every writable kind may be read into. */
public abstract class BufferContract extends NioContract {

  private static final int SIZE = 3000;
  private static final byte GUARD = (byte) 0xa5;

  /** Nothing is opened yet. */
  protected BufferContract() {}

  @ParameterizedTest
  @EnumSource
  void anyBufferCanBeWrittenFrom(BufferKind kind) throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer source = kind.allocate(SIZE);
    new Tape(3).fill(source);
    source.position(100).limit(SIZE - 100);
    ByteBuffer before = source.duplicate();

    Bytes.write(pair.client(), source);

    assertThat(source.position()).isEqualTo(SIZE - 100);
    assertThat(source.limit()).isEqualTo(SIZE - 100);
    ByteBuffer received = ByteBuffer.allocate(SIZE - 200);
    Bytes.read(pair.server(), received);
    assertThat(received.flip()).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource
  void anyBufferCanBeReadInto(BufferKind kind) throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer target = guarded(kind);
    target.position(100).limit(SIZE - 100);
    Bytes.write(pair.server(), new Tape(4).next(SIZE - 200));

    Bytes.read(pair.client(), target);

    assertThat(target.position()).isEqualTo(SIZE - 100);
    assertThat(target.limit()).isEqualTo(SIZE - 100);
    new Tape(4).verify(target.position(100));
    assertGuard(target, 0, 100);
    assertGuard(target, SIZE - 100, SIZE);
  }

  @ParameterizedTest
  @EnumSource
  void nothingBehindTheBytesThatWereReadIsTouched(BufferKind kind) throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer target = guarded(kind);

    Bytes.write(pair.client(), "ten bytes!");
    int read = pair.server().read(target);

    assertThat(read).isEqualTo(target.position()).isBetween(1, 10);
    assertGuard(target, read, SIZE);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReadOnlyBufferCanBeWrittenFromButNotReadInto(boolean direct) throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(8) : ByteBuffer.allocate(8);
    ByteBuffer readOnly = buffer.put(Bytes.ascii("constant")).flip().asReadOnlyBuffer();
    Bytes.write(pair.client(), readOnly);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> pair.server().read(readOnly.duplicate().clear()));
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            pair.server()
                .read(new ByteBuffer[] {ByteBuffer.allocate(4), readOnly.duplicate().clear()}));

    assertThat(Bytes.read(pair.server(), 8)).isEqualTo("constant");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anEmptyBufferMovesNothingAndNeverBlocks(boolean blocking) throws Exception {
    Pair pair = net().settledPair().configureBlocking(blocking);
    ByteBuffer full = ByteBuffer.allocate(4).position(4);

    assertThat(pair.client().read(full)).isZero();
    assertThat(pair.client().write(full)).isZero();
    Bytes.write(pair.server(), "x");
    assertThat(pair.client().read(ByteBuffer.allocate(0))).isZero();
    assertThat(Bytes.read(pair.client(), 1)).isEqualTo("x");
  }

  @Test
  void anEmptyBufferAtTheEndOfTheStreamMovesNothing() throws Exception {
    Pair pair = net().settledPair();
    pair.client().close();

    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
    assertThat(pair.server().read(ByteBuffer.allocate(0))).isZero();
    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
  }

  @Test
  void aClosedArenaIsNoticedAndTheStreamGoesOn() throws Exception {
    Pair pair = net().settledPair();
    Bytes.write(pair.client(), "data");
    ByteBuffer dead;
    try (Arena arena = Arena.ofShared()) {
      dead = arena.allocate(16).asByteBuffer();
    }

    assertThatIllegalStateException().isThrownBy(() -> pair.server().read(dead));
    assertThatIllegalStateException().isThrownBy(() -> pair.server().write(dead));
    assertThatIllegalStateException()
        .isThrownBy(
            () -> pair.server().write(new ByteBuffer[] {Bytes.ascii("lost"), dead.duplicate()}));

    assertThat(Bytes.read(pair.server(), 4)).isEqualTo("data");
    Bytes.exchange(pair.server(), pair.client(), "unharmed");
  }

  @Test
  void anotherThreadsConfinedMemoryIsRefused() throws Exception {
    Pair pair = net().settledPair();
    try (Arena arena = Arena.ofConfined()) {
      ByteBuffer mine = arena.allocate(16).asByteBuffer();

      assertThat(Background.call(() -> pair.client().write(mine)).failure())
          .isInstanceOf(WrongThreadException.class);

      assertThat(mine.position()).isZero();
    }
    Bytes.exchange(pair.client(), pair.server(), "unharmed");
  }

  @Test
  void theSameBytesMayBeWrittenTwiceInOneCall() throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer word = Bytes.ascii("echo");

    pair.client().write(new ByteBuffer[] {word.duplicate(), word.duplicate()});

    assertThat(Bytes.read(pair.server(), 8)).isEqualTo("echoecho");
  }

  @Test
  void aBufferMayBeReusedAsSoonAsTheWriteReturns() throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer reused = ByteBuffer.allocateDirect(512);
    Tape tape = new Tape(8);

    for (int i = 0; i < 100; i++) {
      tape.fill(reused.clear());
      Bytes.write(pair.client(), reused.flip());
      reused.clear().put(new byte[512]);
    }

    Bytes.readTape(pair.server(), new Tape(8), 100 * 512);
  }

  private static ByteBuffer guarded(BufferKind kind) throws IOException {
    ByteBuffer buffer = kind.allocate(SIZE);
    while (buffer.hasRemaining()) {
      buffer.put(GUARD);
    }
    return buffer.clear();
  }

  private static void assertGuard(ByteBuffer buffer, int from, int to) {
    for (int i = from; i < to; i++) {
      assertThat(buffer.duplicate().clear().get(i)).as("byte %d", i).isEqualTo(GUARD);
    }
  }
}
