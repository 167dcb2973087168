package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Extent;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Tape;
import org.slipstream.testkit.ThreadKind;

/**
 * How transfers between a file and a stream end, and what is left behind them: what the JDK does
 * with {@code sendfile}.
 */
public abstract class SendFileContract extends NioContract {
  private static final int SIZE = 8 << 20;

  /** More than a connection takes on before its reader begins, which is some 10 MiB. */
  private static final int LARGE = Extent.of(64 << 20);

  /** Nothing is opened yet. */
  protected SendFileContract() {}

  // -- bytes -----------------------------------------------------------------------------------

  @Test
  void piecesOfAllSizesMixWithWrites() throws Exception {
    Pair pair = net().settledPair();
    SplittableRandom random = new SplittableRandom(11);
    int size = 400_000;
    byte[] content = new Tape(1).next(size).array();
    FileChannel file = fileOf(1, size);
    int rounds = 150;
    int[] from = random.ints(rounds, 0, size).toArray();
    int[] count = random.ints(rounds, 0, 19).map(bits -> random.nextInt(1 << bits)).toArray();
    Background<@Nullable Void> sender =
        Background.run(() -> {
          for (int i = 0; i < rounds; i++) {
            transferTo(file, from[i], Math.min(count[i], size - from[i]), pair.client());
            Bytes.write(pair.client(), "<" + i + ">");
          }
        });

    for (int i = 0; i < rounds; i++) {
      ByteBuffer piece = ByteBuffer.allocate(Math.min(count[i], size - from[i]));
      Bytes.read(pair.server(), piece);
      assertThat(piece.flip()).isEqualTo(ByteBuffer.wrap(content, from[i], piece.remaining()));
      String mark = "<" + i + ">";
      assertThat(Bytes.read(pair.server(), mark.length())).isEqualTo(mark);
    }
    sender.result();
  }

  @ParameterizedTest
  @EnumSource
  void aReaderThatBeginsLateMissesNothing(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();
    FileChannel file = fileOf(2, SIZE);
    Background<@Nullable Void> sender =
        Background.run(kind, () -> transferTo(file, 0, SIZE, pair.client()));

    Thread.sleep(A_WHILE.multipliedBy(3));
    Bytes.readTape(pair.server(), new Tape(2), SIZE);

    sender.result();
    Bytes.exchange(pair.client(), pair.server(), "and then the trailer");
  }

  @Test
  void oneCallOfABlockingChannelSendsAll() throws Exception {
    Pair pair = net().settledPair();
    FileChannel file = fileOf(3, SIZE);
    Background<Long> sender =
        Background.call(() -> file.transferTo(0, Long.MAX_VALUE, pair.client()));

    Bytes.readTape(pair.server(), new Tape(3), SIZE);

    assertThat(sender.result()).isEqualTo(SIZE);
    assertThat(file.position()).isZero();
  }

  @Test
  void bothDirectionsGoAtOnce() throws Exception {
    Pair pair = net().settledPair();
    FileChannel there = fileOf(4, SIZE);
    FileChannel back = fileOf(5, SIZE);
    Background<@Nullable Void> one =
        Background.run(() -> transferTo(there, 0, SIZE, pair.client()));
    Background<@Nullable Void> other =
        Background.run(() -> transferTo(back, 0, SIZE, pair.server()));
    Background<@Nullable Void> reader =
        Background.run(() -> Bytes.readTape(pair.client(), new Tape(5), SIZE));

    Bytes.readTape(pair.server(), new Tape(4), SIZE);

    one.result();
    other.result();
    reader.result();
  }

  @Test
  void aFileThatShrinksEndsTheTransferEarly() throws Exception {
    Pair pair = net().settledPair();
    FileChannel file = fileOf(6, LARGE);
    Background<Long> sender =
        Background.call(() -> file.transferTo(0, LARGE, pair.client())).awaitBlocked();
    int left = LARGE / 4 * 3;
    file.truncate(left);

    Bytes.readTape(pair.server(), new Tape(6), left);

    assertThat(sender.result()).isEqualTo(left);
    assertThat(file.transferTo(left, 1, pair.client())).isZero();
    Bytes.exchange(pair.client(), pair.server(), "and then the trailer");
  }

  // -- ends ------------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aThreadThatIsInterruptedAlreadyClosesBoth(boolean blocking) throws Exception {
    Pair pair = net().settledPair().configureBlocking(blocking);
    FileChannel file = fileOf(7, 10);

    Background<Long> call =
        Background.call(() -> {
          Thread.currentThread().interrupt();
          return file.transferTo(0, 10, pair.client());
        });

    assertThat(call.failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
    assertThat(call.endedInterrupted()).isTrue();
    assertThat(file.isOpen()).isFalse();
    assertThat(pair.client().isOpen()).isFalse();
  }

  @Test
  void anInterruptOfABlockedTransferClosesBoth() throws Exception {
    Pair pair = net().settledPair();
    Tape sent = new Tape(8);
    long accepted = Bytes.fillUp(pair.client(), sent);
    FileChannel file = fileOf(9, SIZE);
    Background<Long> call =
        Background.call(() -> file.transferTo(0, SIZE, pair.client())).awaitBlocked();

    call.thread().interrupt();

    assertThat(call.failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
    assertThat(call.endedInterrupted()).isTrue();
    assertThat(file.isOpen()).isFalse();
    assertThat(pair.client().isOpen()).isFalse();
    Bytes.readTape(pair.server(), new Tape(8), accepted);
    verifyToTheEnd(pair.server(), new Tape(9));
  }

  @Test
  void aTransferThatIsBlockedEndsWhenItsChannelIsClosed() throws Exception {
    Pair pair = net().settledPair();
    FileChannel file = fileOf(10, LARGE);
    Background<Long> call =
        Background.call(() -> file.transferTo(0, LARGE, pair.client())).awaitBlocked();

    pair.client().close();

    long sent = call.result(); // what went before counts, and the exception is the next call's
    assertThat(sent).isPositive();
    assertThat(file.isOpen()).isTrue();
    assertThat(verifyToTheEnd(pair.server(), new Tape(10))).isEqualTo(sent);
    assertThatExceptionOfType(ClosedChannelException.class)
        .isThrownBy(() -> file.transferTo(sent, 1, pair.client()));
  }

  @Test
  void aTransferThatIsBlockedEndsWhenItsFileIsClosed() throws Exception {
    Pair pair = net().settledPair();
    FileChannel file = fileOf(11, LARGE);
    Background<Long> call =
        Background.call(() -> file.transferTo(0, LARGE, pair.client())).awaitBlocked();

    file.close();

    long sent = call.result();
    assertThat(sent).isPositive();
    assertThat(pair.client().isOpen()).isTrue();
    Bytes.readTape(pair.server(), new Tape(11), sent);
    Bytes.exchange(pair.client(), pair.server(), "the stream goes on");
  }

  @Test
  void aTransferThatHasSentNothingEndsWithAnExceptionWhenItsChannelIsClosed() throws Exception {
    Pair pair = net().settledPair();
    // The kernel may find space for some more bytes of a file behind those of a buffer.
    FileChannel file = fileOf(12, SIZE);
    pair.configureBlocking(false);
    Tape sent = new Tape(13);
    Bytes.fillUp(pair.client(), sent);
    while (file.transferTo(0, SIZE, pair.client()) > 0) {
      Thread.onSpinWait();
    }
    pair.configureBlocking(true);
    Background<Long> call =
        Background.call(() -> file.transferTo(0, SIZE, pair.client())).awaitBlocked();

    pair.client().close();

    Object end = outcome(call);
    assertThat(end instanceof Long n ? n > 0 : end instanceof AsynchronousCloseException)
        .as("%s", end)
        .isTrue();
    assertThat(file.isOpen()).isTrue();
  }

  @Test
  void aTransferToAPeerThatHasResetFails() throws Exception {
    Pair pair = net().settledPair();
    FileChannel file = fileOf(14, SIZE);

    Pair.reset(pair.server());

    assertThatThrownBy(
            () -> {
              while (true) {
                file.transferTo(0, SIZE, pair.client());
              }
            })
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(ClosedChannelException.class);
    assertThat(file.isOpen()).isTrue();
    assertThat(pair.client().isOpen()).isTrue();
  }

  // -- arguments -------------------------------------------------------------------------------

  @Test
  void argumentsAreExaminedAsByTheJdk() throws Exception {
    Pair pair = net().settledPair();
    FileChannel file = fileOf(15, 10);
    Path path = Files.createTempFile("conformance", ".bin");
    FileChannel readable = net().closing(FileChannel.open(path, StandardOpenOption.READ));
    FileChannel writable =
        net()
            .closing(
                FileChannel.open(
                    path, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE));

    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> file.transferTo(-1, 1, pair.client()));
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> file.transferTo(0, -1, pair.client()));
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> file.transferFrom(pair.client(), 0, -1));
    assertThatExceptionOfType(NonReadableChannelException.class)
        .isThrownBy(() -> writable.transferTo(0, 1, pair.client()));
    assertThatExceptionOfType(NonWritableChannelException.class)
        .isThrownBy(() -> readable.transferFrom(pair.client(), 0, 1));
    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> file.transferTo(0, 1, nothing()));
    pair.client().shutdownOutput();
    assertThatThrownBy(() -> file.transferTo(0, 10, pair.client()))
        .isExactlyInstanceOf(AsynchronousCloseException.class);
    assertThatThrownBy(() -> file.transferTo(0, 0, pair.client()))
        .isExactlyInstanceOf(AsynchronousCloseException.class);
    assertThat(file.transferTo(11, 1, pair.client())).isZero();
    pair.client().close();
    assertThatThrownBy(() -> file.transferTo(0, 1, pair.client()))
        .isExactlyInstanceOf(ClosedChannelException.class);
    file.close();
    assertThatThrownBy(() -> file.transferTo(0, 1, pair.server()))
        .isExactlyInstanceOf(ClosedChannelException.class);
    assertThat(pair.server().isOpen()).isTrue();
  }

  // -- streams ---------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"channel", "socket", "copy"})
  void streamsOfTheJdkSendFiles(String through) throws Exception {
    Pair pair = net().settledPair();
    int size = 2_000_003;
    Path path = Files.createTempFile("conformance", ".bin");
    try {
      Files.write(path, new Tape(16).next(size).array());
      OutputStream out =
          through.equals("channel")
              ? Channels.newOutputStream(pair.client())
              : pair.client().socket().getOutputStream();
      Background<Long> sender =
          Background.call(() -> {
            if (through.equals("copy")) {
              return Files.copy(path, out);
            }
            try (InputStream in = Files.newInputStream(path)) {
              return in.transferTo(out);
            }
          });
      Bytes.readTape(pair.server(), new Tape(16), size);
      assertThat(sender.result()).isEqualTo(size);

      pair.client().configureBlocking(false);
      assertThatExceptionOfType(IllegalBlockingModeException.class)
          .isThrownBy(() -> Files.copy(path, out));
    } finally {
      Files.delete(path);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReaderDoesNotWaitForAFileThatIsSentByAStream(boolean settled) throws Exception {
    Pair pair = settled ? net().settledPair() : net().freshPair();
    FileChannel file = fileOf(17, SIZE);
    InputStream in = Channels.newInputStream(pair.client());
    Background<Long> sender =
        Background.call(() ->
                Channels.newInputStream(file).transferTo(Channels.newOutputStream(pair.client())))
            .awaitBlocked();

    Bytes.write(pair.server(), "x");
    assertThat(Background.call(in::read).result()).isEqualTo('x');

    Bytes.readTape(pair.server(), new Tape(17), SIZE);
    assertThat(sender.result()).isEqualTo(SIZE);
  }

  // -- into files ------------------------------------------------------------------------------

  @Test
  void whatCameBeforeAnInterruptIsInTheFile() throws Exception {
    Pair pair = net().settledPair();
    FileChannel file = fileOf(0, 0);
    Bytes.write(pair.server(), "0123456789");
    Background<Long> call =
        Background.call(() -> file.transferFrom(pair.client(), 3, 100)).awaitBlocked();

    call.thread().interrupt();

    assertThat(call.result()).isEqualTo(10);
    assertThat(call.endedInterrupted()).isTrue();
    assertThat(pair.client().isOpen()).isFalse();
    assertThat(file.isOpen()).isTrue();
    ByteBuffer content = ByteBuffer.allocate(20);
    assertThat(file.read(content, 0)).isEqualTo(13);
    assertThat(content.flip()).isEqualTo(Bytes.ascii("\0\0\0" + "0123456789"));
  }

  @Test
  void aNonBlockingStreamGivesWhatItHas() throws Exception {
    Pair pair = net().settledNonBlockingPair();
    int size = 3_000_001;
    FileChannel file = fileOf(0, 0);
    Background<@Nullable Void> writer =
        Background.run(() -> Bytes.writeTape(pair.server(), new Tape(18), size));

    assertThat(file.transferFrom(pair.client(), 0, 0)).isZero();
    for (long position = 0; position < size; ) {
      long n = file.transferFrom(pair.client(), position, size - position);
      assertThat(n).isBetween(0L, size - position);
      position += n;
    }

    writer.result();
    assertThat(file.transferFrom(pair.client(), size, 1)).isZero();
    ByteBuffer all = ByteBuffer.allocate(size);
    while (all.hasRemaining()) {
      assertThat(file.read(all, all.position())).isPositive();
    }
    new Tape(18).verify(all.flip());
  }

  // -- tools -----------------------------------------------------------------------------------

  private static @Nullable Object outcome(Background<Long> call) throws InterruptedException {
    Callable<Object> result = call::result;
    try {
      return result.call();
    } catch (AssertionError e) {
      return e.getCause();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Reads a tape up to the end of the stream. */
  private static long verifyToTheEnd(SocketChannel from, Tape tape) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(1 << 16);
    while (from.read(chunk.clear()) >= 0) {
      tape.verify(chunk.flip());
    }
    return tape.position();
  }

  private FileChannel fileOf(long seed, int size) throws IOException {
    Path path = Files.createTempFile("conformance", ".bin");
    FileChannel file =
        net()
            .closing(
                FileChannel.open(
                    path,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE));
    Tape tape = new Tape(seed);
    for (int done = 0; done < size; ) {
      ByteBuffer content = tape.next(Math.min(size - done, 1 << 20));
      done += content.remaining();
      Bytes.write(file, content);
    }
    return file.position(0);
  }

  private static void transferTo(FileChannel file, long from, long count, SocketChannel stream)
      throws IOException {
    for (long done = 0; done < count; ) {
      long n = file.transferTo(from + done, count - done, stream);
      assertThat(n).isBetween(0L, count - done);
      done += n;
    }
  }
}
