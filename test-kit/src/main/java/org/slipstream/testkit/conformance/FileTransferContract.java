package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Tape;

/** From a file into a stream and from a stream into a file. */
public abstract class FileTransferContract extends NioContract {

  /** Nothing is opened yet. */
  protected FileTransferContract() {}

  @ParameterizedTest
  @ValueSource(ints = {1, 5000, 3_000_017})
  void aFileIsTransferredToAStream(int size) throws Exception {
    Pair pair = net().settledPair();
    FileChannel file = fileOf(new Tape(1), size);
    Background<@Nullable Void> sender =
        Background.run(() -> transferTo(file, 0, size, pair.client()));

    Bytes.readTape(pair.server(), new Tape(1), size);

    sender.result();
    assertThat(file.position()).isZero();
    Bytes.exchange(pair.client(), pair.server(), "and then the trailer");
  }

  @Test
  void aPartOfAFileIsTransferredFromItsPosition() throws Exception {
    Pair pair = net().settledPair();
    FileChannel file = fileOf(new Tape(2), 100_000);

    Bytes.write(pair.client(), "head");
    transferTo(file, 50_000, 40_000, pair.client());
    Bytes.write(pair.client(), "tail");

    assertThat(Bytes.read(pair.server(), 4)).isEqualTo("head");
    Tape expected = new Tape(2);
    expected.next(50_000);
    Bytes.readTape(pair.server(), expected, 40_000);
    assertThat(Bytes.read(pair.server(), 4)).isEqualTo("tail");
  }

  @Test
  void nothingIsTransferredFromBehindTheEndOfAFile() throws Exception {
    Pair pair = net().settledPair();
    FileChannel file = fileOf(new Tape(3), 10);

    assertThat(file.transferTo(10, 5, pair.client())).isZero();
    assertThat(file.transferTo(1000, 5, pair.client())).isZero();
    assertThat(file.transferTo(0, 0, pair.client())).isZero();
    transferTo(file, 0, 10, pair.client());
    assertThat(file.transferTo(10, 100, pair.client())).isZero();

    Bytes.readTape(pair.server(), new Tape(3), 10);
  }

  @Test
  void aNonBlockingStreamTakesWhatFits() throws Exception {
    Pair pair = net().settledNonBlockingPair();
    int size = 12_000_000;
    FileChannel file = fileOf(new Tape(4), size);
    Tape expected = new Tape(4);

    long sent = 0;
    while (sent < size) {
      long n = file.transferTo(sent, size - sent, pair.client());
      assertThat(n).isBetween(0L, size - sent);
      sent += n;
      ByteBuffer chunk = ByteBuffer.allocate(1_000_000);
      while (expected.position() < sent && pair.server().read(chunk.clear()) > 0) {
        expected.verify(chunk.flip());
      }
    }

    Bytes.readTape(pair.server(), expected, size - expected.position());
  }

  @Test
  void aStreamIsTransferredToAFile() throws Exception {
    Pair pair = net().settledPair();
    int size = 2_000_003;
    FileChannel file = fileOf(new Tape(0), 7);
    Background<@Nullable Void> writer =
        Background.run(() -> {
          Bytes.writeTape(pair.server(), new Tape(5), size);
          pair.server().shutdownOutput();
        });

    long position = 7;
    for (long n = 1; n > 0; position += n) {
      n = file.transferFrom(pair.client(), position, 600_000);
    }

    writer.result();
    assertThat(file.size()).isEqualTo(7L + size);
    ByteBuffer all = ByteBuffer.allocate(size);
    while (all.hasRemaining()) {
      assertThat(file.read(all, 7L + all.position())).isPositive();
    }
    new Tape(5).verify(all.flip());
  }

  @Test
  void noMoreThanAskedForIsTransferredToAFile() throws Exception {
    Pair pair = net().settledPair();
    FileChannel file = fileOf(new Tape(0), 0);
    Bytes.write(pair.server(), "0123456789");

    long received = 0;
    while (received < 4) {
      received += file.transferFrom(pair.client(), received, 4 - received);
    }

    assertThat(file.size()).isEqualTo(4);
    assertThat(Bytes.read(pair.client(), 6)).isEqualTo("456789");
  }

  @Test
  void aStreamThatIsNotOpenForWritingTakesNoFile() throws Exception {
    FileChannel file = fileOf(new Tape(6), 10);
    Pair pair = net().settledPair();
    pair.client().shutdownOutput();
    pair.server().close();
    SocketChannel unconnected = net().open();

    assertThatExceptionOfType(ClosedChannelException.class)
        .isThrownBy(() -> file.transferTo(0, 10, pair.client()));
    assertThatExceptionOfType(ClosedChannelException.class)
        .isThrownBy(() -> file.transferTo(0, 10, pair.server()));
    assertThatExceptionOfType(NotYetConnectedException.class)
        .isThrownBy(() -> file.transferTo(0, 10, unconnected));
    assertThatExceptionOfType(NotYetConnectedException.class)
        .isThrownBy(() -> file.transferFrom(unconnected, 0, 10));
  }

  private FileChannel fileOf(Tape tape, int size) throws IOException {
    Path path = Files.createTempFile("conformance", ".bin");
    FileChannel file =
        net()
            .closing(
                FileChannel.open(
                    path,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE));
    ByteBuffer content = tape.next(size);
    while (content.hasRemaining()) {
      file.write(content);
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
