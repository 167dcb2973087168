package org.slipstream.testkit.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Tape;
import org.slipstream.testkit.ThreadKind;

/** Bytes arrive once, in order and unchanged, whichever threads read and write at the same time. */
public abstract class TransferContract extends SocketContract {

  private static final int MIB = 1024 * 1024;

  /** Nothing is opened yet. */
  protected TransferContract() {}

  @Test
  void theStreamsCarryBytes() throws Exception {
    Ends ends = settledPair();
    OutputStream out = ends.client().getOutputStream();
    InputStream in = ends.server().getInputStream();

    out.write('a');
    out.write(new byte[] {'b', 'c', 'd', 'e'}, 1, 2);
    out.write(new byte[0]);
    out.write(0xff);
    out.flush();

    assertThat(in.read()).isEqualTo('a');
    byte[] target = new byte[4];
    assertThat(in.readNBytes(target, 1, 2)).isEqualTo(2);
    assertThat(target).containsExactly(0, 'c', 'd', 0);
    assertThat(in.read()).isEqualTo(0xff);
    assertThat(in.read(target, 0, 0)).isZero();
    assertThat(ends.client().getOutputStream()).isSameAs(out);
    assertThat(ends.server().getInputStream()).isSameAs(in);
  }

  @Test
  void boundsAreChecked() throws Exception {
    Ends ends = settledPair();
    InputStream in = ends.client().getInputStream();
    OutputStream out = ends.client().getOutputStream();
    byte[] three = new byte[3];

    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> in.read(three, 1, 3));
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> in.read(three, -1, 1));
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> out.write(three, 2, 2));
    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> in.read(nothing(), 0, 1));
    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> out.write(nothing(), 0, 1));
    talk(ends);
  }

  @Test
  void aReadTakesWhatIsThere() throws Exception {
    Ends ends = settledPair();
    send(ends.client(), "12345");
    Patience.await().until(() -> ends.server().getInputStream().available() == 5);

    byte[] target = new byte[300_000];
    assertThat(ends.server().getInputStream().read(target)).isEqualTo(5);
  }

  @Test
  void availableTellsWhatCanBeReadWithoutWaiting() throws Exception {
    Ends ends = settledPair();
    InputStream in = ends.client().getInputStream();
    assertThat(in.available()).isZero();

    send(ends.server(), "12345");

    Patience.await().until(in::available, n -> n == 5);
    assertThat(in.read()).isEqualTo('1');
    assertThat(in.available()).isEqualTo(4);
    assertThat(in.readNBytes(4)).hasSize(4);
    assertThat(in.available()).isZero();
  }

  @Test
  void availableDoesNotWaitForAReader() throws Exception {
    Ends ends = settledPair();
    InputStream in = ends.client().getInputStream();
    Background<Integer> read = Background.call(in::read).awaitBlocked();

    assertThat(in.available()).isZero();

    send(ends.server(), "x");
    assertThat(read.result()).isEqualTo('x');
  }

  @Test
  void availableWorksFromTheFirstByteOfAFreshStream() throws Exception {
    Ends ends = freshPair();
    for (int i = 1; i < 200; i++) {
      send(ends.client(), "x".repeat(i));
      int expected = i;
      Patience.await()
          .pollInterval(java.time.Duration.ofMillis(1))
          .pollDelay(java.time.Duration.ZERO)
          .until(() -> ends.server().getInputStream().available() == expected);
      assertThat(receive(ends.server(), i)).hasSize(i);
      exchange(ends.server(), ends.client(), "y");
    }
  }

  /** A program may ask until a message has come whole, and read only then. */
  @Test
  void availableCountsAMessageThatWasWrittenInPieces() throws Exception {
    Ends ends = freshPair();
    for (int i = 1; i < 200; i++) {
      int whole = 3 * i;
      for (int piece = 0; piece < 3; piece++) {
        send(ends.client(), "x".repeat(i));
        LockSupport.parkNanos(1_000_000); // so that a switch may lie between them
      }
      Patience.await()
          .pollInterval(java.time.Duration.ofMillis(1))
          .pollDelay(java.time.Duration.ZERO)
          .until(() -> ends.server().getInputStream().available(), n -> n == whole);
      assertThat(receive(ends.server(), whole)).hasSize(whole);
      exchange(ends.server(), ends.client(), "y");
    }
  }

  /** Less than the kernel takes for a reader that does not read, and more than a ring may. */
  @ParameterizedTest
  @ValueSource(ints = {5_000, 20_000, 40_000})
  void availableCountsAllThatHasComeForAReaderThatWaitsForIt(int size) throws Exception {
    Ends ends = settledPair();
    InputStream in = ends.client().getInputStream();
    for (int i = 0; i < 4; i++) {
      byte[] sent = new Tape(i).next(size).array();
      Background<@Nullable Void> writer =
          Background.run(() -> ends.server().getOutputStream().write(sent));

      Patience.await().until(in::available, n -> n == size);

      writer.result();
      assertThat(in.readNBytes(size)).isEqualTo(sent);
      assertThat(in.available()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aReadWaitsForBytes(ThreadKind kind) throws Exception {
    Ends ends = settledPair();
    Background<Integer> read =
        Background.call(kind, () -> ends.client().getInputStream().read()).awaitBlocked();

    send(ends.server(), "x");

    assertThat(read.result()).isEqualTo('x');
  }

  @ParameterizedTest
  @EnumSource
  void aWriteWritesEverythingHoweverLarge(ThreadKind kind) throws Exception {
    Ends ends = settledPair();
    int size = 5_000_001;
    byte[] data = new Tape(1).next(size).array();
    Background<@Nullable Void> writer =
        Background.run(kind, () -> ends.client().getOutputStream().write(data));

    byte[] received = ends.server().getInputStream().readNBytes(size);

    writer.result();
    new Tape(1).verify(ByteBuffer.wrap(received));
    assertThat(received).hasSize(size);
  }

  @ParameterizedTest
  @EnumSource
  void megabytesGoBothWaysAtOnce(ThreadKind kind) throws Exception {
    Ends ends = settledPair();
    List<Background<@Nullable Void>> workers =
        List.of(
            Background.run(kind, () -> writeTape(ends.client(), new Tape(1), 12 * MIB)),
            Background.run(kind, () -> writeTape(ends.server(), new Tape(2), 12 * MIB)),
            Background.run(kind, () -> readTape(ends.server(), new Tape(1), 12 * MIB)),
            Background.run(kind, () -> readTape(ends.client(), new Tape(2), 12 * MIB)));

    for (Background<@Nullable Void> worker : workers) {
      worker.result();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 63, 4096, 130_000, 300_000})
  void piecesOfAnySizeKeepTheirChecksum(int piece) throws Exception {
    Ends ends = settledPair();
    int pieces = Math.max(3, Math.min(2_000, 4 * MIB / piece));
    CRC32C sent = new CRC32C();
    CRC32C received = new CRC32C();
    Background<@Nullable Void> writer =
        Background.run(() -> {
          OutputStream out = new CheckedOutputStream(ends.client().getOutputStream(), sent);
          Tape tape = new Tape(piece);
          for (int i = 0; i < pieces; i++) {
            out.write(tape.next(piece).array());
          }
          ends.client().shutdownOutput();
        });

    long count =
        new CheckedInputStream(ends.server().getInputStream(), received)
            .transferTo(OutputStream.nullOutputStream());

    writer.result();
    assertThat(count).isEqualTo((long) piece * pieces);
    assertThat(received.getValue()).isEqualTo(sent.getValue());
  }

  @ParameterizedTest
  @EnumSource
  void messagesGoToAndFro(ThreadKind kind) throws Exception {
    Ends ends = freshPair();
    int rounds = 3_000;
    Background<@Nullable Void> echo = Background.run(kind, () -> echo(ends.server()));

    Background<@Nullable Void> asker =
        Background.run(
            kind,
            () -> {
              Tape sent = new Tape(1);
              Tape received = new Tape(1);
              for (int i = 0; i < rounds; i++) {
                int n = 1 + i % 200;
                ends.client().getOutputStream().write(sent.next(n).array());
                received.verify(ByteBuffer.wrap(ends.client().getInputStream().readNBytes(n)));
              }
              ends.client().shutdownOutput();
              assertThat(ends.client().getInputStream().read()).isEqualTo(-1);
            });

    asker.result();
    echo.result();
  }

  private static void echo(Socket socket) throws IOException {
    socket.getInputStream().transferTo(socket.getOutputStream());
    socket.shutdownOutput();
  }

  @Test
  void severalThreadsMayWriteAndEachWriteStaysWhole() throws Exception {
    Ends ends = settledPair();
    int size = 100_000;
    int each = 10;
    List<Background<@Nullable Void>> writers = new ArrayList<>();
    for (int w = 0; w < 4; w++) {
      byte[] data = new byte[size];
      Arrays.fill(data, (byte) w);
      writers.add(
          Background.run(() -> {
            for (int i = 0; i < each; i++) {
              ends.client().getOutputStream().write(data);
            }
          }));
    }

    int[] seen = new int[4];
    for (int i = 0; i < 4 * each; i++) {
      byte[] piece = ends.server().getInputStream().readNBytes(size);
      seen[piece[0]]++;
      byte[] whole = new byte[size];
      Arrays.fill(whole, piece[0]);
      assertThat(Arrays.mismatch(piece, whole)).as("a byte of another write").isEqualTo(-1);
    }

    assertThat(seen).containsOnly(each);
    for (Background<@Nullable Void> writer : writers) {
      writer.result();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aHundredConversationsGoOnAtOnce(ThreadKind kind) throws Exception {
    List<Background<@Nullable Void>> talkers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Ends ends = freshPair();
      talkers.add(Background.run(kind, () -> echo(ends.server())));
      talkers.add(
          Background.run(
              kind,
              () -> {
                for (int j = 0; j < 200; j++) {
                  send(ends.client(), "message");
                  assertThat(receive(ends.client(), 7)).isEqualTo("message");
                }
                ends.client().shutdownOutput();
              }));
    }
    for (Background<@Nullable Void> talker : talkers) {
      talker.result();
    }
  }
}
