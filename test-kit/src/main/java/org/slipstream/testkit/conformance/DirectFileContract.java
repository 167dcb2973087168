package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Extent;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Requirement;
import org.slipstream.testkit.Tape;

/**
 * Files past the page cache ({@code ExtendedOpenOption.DIRECT}), of which the kernel reads and
 * writes whole pages in aligned memory only, and files that are mapped.
 */
public abstract class DirectFileContract extends NioContract {
  private static final int PAGE = 4096;

  /** On the disk of the build. */
  private static final Path BUILD = Path.of("target");

  private static final int SIZE = 3 << 20;
  private static final int MOST_ODD = 24 * 1024;

  private @Nullable Path path;

  /** Nothing is opened yet. */
  protected DirectFileContract() {}

  @AfterEach
  void deleteFile() throws IOException {
    if (path != null) {
      Files.delete(path);
    }
  }

  /** The reader takes odd amounts, so what is free in a ring is no multiple of a page. */
  @Test
  void oneCallOfABlockingChannelSendsAllPages() throws Exception {
    Pair pair = net().settledPair();
    FileChannel file = direct(content(1, SIZE));
    Background<Long> sender = Background.call(() -> file.transferTo(0, SIZE, pair.client()));

    readInOddPieces(pair.server(), new Tape(1), SIZE);

    assertThat(sender.result()).isEqualTo(SIZE);
    Bytes.exchange(pair.client(), pair.server(), "and then the trailer");
  }

  /**
   * The reader begins late: of the piece that fills a ring, a part is in it, and the rest goes
   * another way. That rest is no whole page, and less than what the JDK would map.
   */
  @Test
  void aReaderThatBeginsLateGetsSmallPiecesWhole() throws Exception {
    Pair pair = net().settledPair();
    FileChannel file = direct(content(6, SIZE));
    int rounds = 400;
    int length = 3 * PAGE;
    Background<@Nullable Void> sender =
        Background.run(() -> {
          for (int i = 0; i < rounds; i++) {
            Bytes.write(pair.client(), "<" + i + ">");
            assertThat(file.transferTo(0, length, pair.client())).isEqualTo(length);
          }
        });
    Thread.sleep(300); // longer than a writer bears a full ring

    for (int i = 0; i < rounds; i++) {
      String mark = "<" + i + ">";
      assertThat(Bytes.read(pair.server(), mark.length())).isEqualTo(mark);
      readInOddPieces(pair.server(), new Tape(6), length);
    }
    sender.result();
  }

  @Test
  void pagesMixWithOtherBytes() throws Exception {
    Pair pair = net().settledPair();
    FileChannel file = direct(content(2, SIZE));
    byte[] all = new Tape(2).next(SIZE).array();
    SplittableRandom random = new SplittableRandom(3);
    int rounds = 60;
    int[] count = random.ints(rounds, 1, 60).map(pages -> pages * PAGE).toArray();
    int[] from = random.ints(rounds, 0, SIZE / PAGE - 60).map(page -> page * PAGE).toArray();
    Background<@Nullable Void> sender =
        Background.run(() -> {
          for (int i = 0; i < rounds; i++) {
            Bytes.write(pair.client(), "<" + i + ">");
            assertThat(file.transferTo(from[i], count[i], pair.client())).isEqualTo(count[i]);
          }
        });

    for (int i = 0; i < rounds; i++) {
      String mark = "<" + i + ">";
      assertThat(Bytes.read(pair.server(), mark.length())).isEqualTo(mark);
      ByteBuffer piece = ByteBuffer.allocate(count[i]);
      Bytes.read(pair.server(), piece);
      assertThat(piece.flip()).isEqualTo(ByteBuffer.wrap(all, from[i], count[i]));
    }
    sender.result();
  }

  /** The JDK refuses what is below 16 KiB and no page. What is refused was not sent. */
  @Test
  void piecesThatAreNoPagesAreSentOrRefused() throws Exception {
    Pair pair = net().settledPair();
    int size = 300_000;
    FileChannel file = direct(content(4, size));
    byte[] all = new Tape(4).next(size).array();
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 80; i++) {
      int from = random.nextInt(size - MOST_ODD);
      if (random.nextBoolean()) {
        from &= -PAGE;
      }
      int count = 1 + random.nextInt(MOST_ODD); // so few that no reader is needed
      int sent;
      try {
        sent = (int) file.transferTo(from, count, pair.client());
        assertThat(sent).isBetween(1, count);
      } catch (IOException refused) {
        assertThat(refused).hasMessageContaining("block size");
        sent = 0;
      }
      Bytes.write(pair.client(), "|");

      ByteBuffer piece = ByteBuffer.allocate(sent);
      Bytes.read(pair.server(), piece);
      assertThat(piece.flip()).isEqualTo(ByteBuffer.wrap(all, from, sent));
      assertThat(Bytes.read(pair.server(), 1)).isEqualTo("|");
    }
  }

  @Test
  void aNonBlockingStreamTakesWhatFits() throws Exception {
    Pair pair = net().settledNonBlockingPair();
    Path file = content(6, SIZE);
    FileChannel direct = direct(file);
    FileChannel ordinary = net().closing(FileChannel.open(file));
    Tape expected = new Tape(6);
    ByteBuffer chunk = ByteBuffer.allocate(77_777);

    for (long sent = 0; sent < SIZE; ) {
      FileChannel whole = sent % PAGE == 0 ? direct : ordinary;
      long n = whole.transferTo(sent, SIZE - sent, pair.client());
      assertThat(n).isBetween(0L, SIZE - sent);
      sent += n;
      while (expected.position() < sent && pair.server().read(chunk.clear()) > 0) {
        expected.verify(chunk.flip());
      }
    }

    Bytes.readTape(pair.server(), expected, SIZE - expected.position());
  }

  /** Other bytes came before them, so they do not begin with a page of a ring. */
  @Test
  void pagesOfAStreamGoIntoAFile() throws Exception {
    Pair pair = net().settledPair();
    Path target = content(0, 0);
    FileChannel file = direct(target, StandardOpenOption.WRITE);
    InputStream in = pair.client().socket().getInputStream();
    Bytes.exchange(pair.server(), pair.client(), "head");
    int pages = 150; // around a ring
    Tape sent = new Tape(8);
    for (int page = 0; page < pages; page++) {
      Bytes.write(pair.server(), sent.next(PAGE));
      // A page of which a part has come is refused, and the JDK's own loop loses that part.
      Patience.await().until(() -> in.available() >= PAGE);

      assertThat(file.transferFrom(pair.client(), (long) page * PAGE, PAGE)).isEqualTo(PAGE);
    }

    new Tape(8).verify(ByteBuffer.wrap(Files.readAllBytes(target)));
    assertThat(Files.size(target)).isEqualTo((long) pages * PAGE);
    Bytes.exchange(pair.client(), pair.server(), "and then the trailer");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void mappedBuffersAreWritten(boolean blocking) throws Exception {
    Pair pair = net().settledPair();
    pair.client().configureBlocking(blocking);
    FileChannel file = net().closing(FileChannel.open(content(7, SIZE)));
    MappedByteBuffer mapped = file.map(FileChannel.MapMode.READ_ONLY, 0, SIZE);
    ByteBuffer[] all = {Bytes.ascii("head"), mapped, Bytes.ascii("tail")};
    Background<@Nullable Void> sender =
        Background.run(() -> {
          while (all[2].hasRemaining()) {
            pair.client().write(all);
          }
        });

    assertThat(Bytes.read(pair.server(), 4)).isEqualTo("head");
    Bytes.readTape(pair.server(), new Tape(7), SIZE);
    assertThat(Bytes.read(pair.server(), 4)).isEqualTo("tail");
    sender.result();
  }

  // -- tools -----------------------------------------------------------------------------------

  private Path content(long seed, int size) throws Exception {
    Path file = Files.createTempFile("conformance", ".bin");
    if (!takesDirect(file) && Files.isWritable(BUILD)) { // of memory, perhaps
      Files.delete(file);
      file = Files.createTempFile(BUILD, "conformance", ".bin");
    }
    path = file;
    Files.write(file, new Tape(seed).next(size).array());
    return file;
  }

  private static boolean takesDirect(Path file) throws Exception {
    try {
      FileChannel.open(file, StandardOpenOption.READ, direct()).close();
      return true;
    } catch (IOException | UnsupportedOperationException refused) {
      return false;
    }
  }

  private FileChannel direct(Path file) throws Exception {
    return direct(file, StandardOpenOption.READ);
  }

  private FileChannel direct(Path file, OpenOption way) throws Exception {
    try {
      return net().closing(FileChannel.open(file, way, direct()));
    } catch (IOException | UnsupportedOperationException refused) {
      if (Extent.isReduced()) { // no disk: pages of the page cache, then
        return net().closing(FileChannel.open(file, way));
      }
      Requirement.require(
          false, "the file systems for temporary files and of the build refuse O_DIRECT");
      throw refused;
    }
  }

  /** By name: javac warns of the package. */
  private static OpenOption direct() throws ClassNotFoundException {
    for (Object option : Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
      if (option.toString().equals("DIRECT")) {
        return (OpenOption) option;
      }
    }
    throw new AssertionError("no ExtendedOpenOption.DIRECT");
  }

  private static void readInOddPieces(SocketChannel from, Tape tape, long length)
      throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(3001);
    for (long left = length; left > 0; left -= chunk.position()) {
      chunk.clear().limit((int) Math.min(left, chunk.capacity()));
      Bytes.read(from, chunk);
      tape.verify(chunk.duplicate().flip());
    }
  }
}
