package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pieces of files go into a ring and out of it by one call of the kernel each. */
class RingFileTest {
  private static final int RING = 64 * 1024;

  /** What becomes visible at once: credit comes in quarters. */
  private static final int PIECE = RING / 4;

  private final RingEnd.Two two = RingEnd.two(RING, RING);
  private final RingEnd writer = two.a();
  private final RingEnd reader = two.b();
  private final byte[] content = new byte[100_000];

  private @TempDir Path directory;
  private FileChannel file;

  @BeforeEach
  void writeFile() throws IOException {
    new Random(4).nextBytes(content);
    file = open("file");
    file.write(ByteBuffer.wrap(content));
  }

  private FileChannel open(String name) throws IOException {
    return FileChannel.open(
        directory.resolve(name),
        StandardOpenOption.CREATE,
        StandardOpenOption.READ,
        StandardOpenOption.WRITE,
        StandardOpenOption.DELETE_ON_CLOSE);
  }

  private int fill(long at, long count) throws IOException {
    return fill(file, at, count);
  }

  private ByteBuffer part(int at, int count) {
    return ByteBuffer.wrap(content, at, count);
  }

  @Test
  void aPieceIsAQuarterAndEndsWithTheRing() throws IOException {
    assertThat(fill(1000, 90_000)).isEqualTo(PIECE);
    assertThat(ByteBuffer.wrap(reader.read(RING))).isEqualTo(part(1000, PIECE));
    assertThat(fill(0, 100)).isEqualTo(100);
    assertThat(fill(100, PIECE)).isEqualTo(PIECE);
    assertThat(fill(100 + PIECE, PIECE)).isEqualTo(PIECE);
    assertThat(fill(100 + 2 * PIECE, 1 << 20)).as("up to the end").isEqualTo(PIECE - 100);
    assertThat(fill(3L * PIECE, 1 << 20)).as("and from its beginning").isEqualTo(PIECE);
    assertThat(fill(4L * PIECE, 1)).as("it is full").isZero();
    assertThat(ByteBuffer.wrap(reader.read(2 * RING))).isEqualTo(part(0, RING));
  }

  @Test
  void piecesOfFilesMixWithMessages() throws IOException {
    Random random = new Random(5);
    for (int i = 0; i < 3000; i++) {
      int at = random.nextInt(content.length - 300);
      int count = 1 + random.nextInt(300);
      if (random.nextBoolean()) {
        assertThat(writer.write(part(at, count))).isEqualTo(count);
      } else {
        int n = fill(at, count);
        assertThat(n < count ? n + fill(at + n, count - n) : n).isEqualTo(count);
      }
      assertThat(ByteBuffer.wrap(reader.read(1000))).isEqualTo(part(at, count));
    }
  }

  @Test
  void theEndOfAFileIsNoSpaceAndNoByte() throws IOException {
    assertThat(fill(content.length - 10, 100)).isEqualTo(10);
    assertThat(fill(content.length, 100)).isEqualTo(FileFill.END);
    assertThat(writer.producer().credit().position()).isEqualTo(10);
  }

  @Test
  void aFileThatCanNotBeReadThisWayLeavesTheRingAsItWas() throws IOException {
    assertThat(writer.write(part(0, 500))).isEqualTo(500);
    FileChannel broken = new BrokenFile();
    assertThat(writer.producer().fill(broken, 0, 100, () -> true)).isEqualTo(FileFill.UNREADABLE);
    file.close();
    assertThatThrownBy(() -> fill(0, 100)).isInstanceOf(ClosedChannelException.class);
    assertThat(writer.producer().credit().position()).isEqualTo(500);
    assertThat(ByteBuffer.wrap(reader.read(1000))).isEqualTo(part(0, 500));
  }

  @Test
  void afterItsReleaseARingTakesNoFile() throws IOException {
    assertThat(fill(0, 100)).isEqualTo(100);
    writer.producer().release();
    assertThatThrownBy(() -> fill(0, 100)).isInstanceOf(RuntimeException.class);
    assertThat(ByteBuffer.wrap(reader.read(1000))).isEqualTo(part(0, 100));
  }

  @Test
  void aRingThatTookNoFileBeforeItsReleaseTakesNoneAfterIt() {
    writer.producer().release();
    assertThatThrownBy(() -> fill(0, 100)).isInstanceOf(RuntimeException.class);
  }

  @Test
  void aRingIsDrainedIntoAFileBesideItsMailbox() throws IOException {
    FileChannel out = open("out");
    assertThat(writer.write(part(0, 3000))).isEqualTo(3000);
    assertThat(reader.consumer().drain(out, 0, 1000)).isEqualTo(1000);
    assertThat(reader.consumer().drain(out, 1000, 5000)).isEqualTo(2000);
    assertThat(reader.consumer().drain(out, 3000, 5000)).isZero();
    reader.read(1); // now the writer takes it for a conversation
    writer.read(1);
    writer.write(part(3000, 20));
    int drained = reader.consumer().drain(out, 3000, 5000);
    byte[] rest = reader.read(100);
    assertThat(drained + rest.length).isEqualTo(20);
    assertThat(out.size()).isEqualTo(3000 + drained);
    ByteBuffer all = ByteBuffer.allocate(3000);
    assertThat(out.read(all, 0)).isEqualTo(3000);
    assertThat(all.flip()).isEqualTo(part(0, 3000));
  }

  @Test
  void aFileGoesThroughARingThatIsWidenedMeanwhile() throws IOException {
    RingEnd.Two small = RingEnd.two(RING, 512);
    FileChannel out = open("out");
    Random random = new Random(6);
    long sent = 0;
    long got = 0;
    while (got < content.length) {
      int n = small.a().producer().fill(file, sent, 1 + random.nextInt(PIECE), () -> true);
      sent += Math.max(0, n);
      got += small.b().consumer().drain(out, got, 1 + random.nextInt(PIECE));
    }
    assertThat(small.b().link().window().committedBytes()).isEqualTo(RING);
    ByteBuffer all = ByteBuffer.allocate(content.length);
    assertThat(out.read(all, 0)).isEqualTo(content.length);
    assertThat(all.array()).isEqualTo(content);
  }

  @Test
  void whatAFileDoesNotTakeStaysInTheRing() throws IOException {
    writer.write(part(0, 3000));
    assertThatThrownBy(() -> reader.consumer().drain(new BrokenFile(), 0, 5000))
        .isInstanceOf(IOException.class);
    assertThat(ByteBuffer.wrap(reader.read(5000))).isEqualTo(part(0, 3000));
  }

  // -- files that take whole pages only --------------------------------------------------------

  @Test
  void pagesGoStraightIntoARingThatIsAligned() throws IOException {
    PagedFile direct = new PagedFile(file);
    assertThat(fill(direct, 4096, 3 * 4096)).isEqualTo(3 * 4096);
    assertThat(fill(direct, 8192, PIECE)).isEqualTo(PIECE);

    assertThat(direct.calls).isEqualTo(2);
    assertThat(ByteBuffer.wrap(reader.read(3 * 4096))).isEqualTo(part(4096, 3 * 4096));
    assertThat(ByteBuffer.wrap(reader.read(RING))).isEqualTo(part(8192, PIECE));
  }

  @Test
  void pagesBehindOtherBytesGoByWayOfAlignedOnes() throws IOException {
    PagedFile direct = new PagedFile(file);
    writer.write(part(0, 5));
    reader.read(5);
    for (int i = 0; i < 50; i++) { // around the ring some times
      int at = i % 10 * 4096;
      assertThat(fill(direct, at, 3 * 4096)).isEqualTo(3 * 4096);
      assertThat(ByteBuffer.wrap(reader.read(RING))).isEqualTo(part(at, 3 * 4096));
    }
    assertThat(direct.refused).as("the first one tells").isEqualTo(1);
  }

  @Test
  void aRingWithSpaceForAPartOfAPageTakesThat() throws IOException {
    PagedFile direct = new PagedFile(file);
    assertThat(writer.write(part(0, RING - 5000))).isEqualTo(RING - 5000);
    assertThat(fill(direct, 0, 3 * 4096)).isEqualTo(5000);
    assertThat(fill(direct, 5000, 3 * 4096)).isZero();
    reader.read(RING - 5000);
    assertThat(ByteBuffer.wrap(reader.read(RING))).isEqualTo(part(0, 5000));
    assertThat(fill(direct, 5000, 10_000)).as("goes on within a page").isEqualTo(10_000);
    assertThat(ByteBuffer.wrap(reader.read(RING))).isEqualTo(part(5000, 10_000));
  }

  @Test
  void theLastPageOfAFileIsShort() throws IOException {
    PagedFile direct = new PagedFile(file);
    int last = content.length & -4096;
    assertThat(fill(direct, last, 4096)).isEqualTo(content.length - last);
    assertThat(fill(direct, content.length, 10)).isEqualTo(FileFill.END);
    assertThat(ByteBuffer.wrap(reader.read(RING))).isEqualTo(part(last, content.length - last));
    assertThat(fill(file, 1, 100)).as("another file").isEqualTo(100);
    assertThat(ByteBuffer.wrap(reader.read(RING))).isEqualTo(part(1, 100));
  }

  @Test
  void pagesOfARingThatIsNotAlignedGoIntoAFileByWayOfAlignedOnes() throws IOException {
    FileChannel out = open("out");
    PagedFile direct = new PagedFile(out);
    writer.write(part(0, 5));
    reader.read(5);
    for (int i = 0; i < 50; i++) { // around the ring some times
      int at = i % 10 * 4096;
      assertThat(writer.write(part(at, 8192 + 100))).isEqualTo(8192 + 100);
      assertThat(reader.consumer().drain(direct, 4096, RING)).isEqualTo(8192);
      ByteBuffer written = ByteBuffer.allocate(8192);
      assertThat(out.read(written, 4096)).isEqualTo(8192);
      assertThat(written.flip()).isEqualTo(part(at, 8192));
      assertThat(ByteBuffer.wrap(reader.read(RING))).isEqualTo(part(at + 8192, 100));
    }
  }

  @Test
  void aPageGoesIntoAFileAlthoughItIsMoreThanTheStepOfASmallRing() throws IOException {
    int size = 2 * WholePages.PAGE; // of which a quarter is half a page
    RingEnd.Two small = RingEnd.two(size, size);
    small.a().write(part(0, 100));
    small.b().read(100);
    small.a().write(part(0, WholePages.PAGE));
    PagedFile paged = new PagedFile(open("target"));

    assertThat(small.b().consumer().drain(paged, 0, WholePages.PAGE)).isEqualTo(WholePages.PAGE);
  }

  @Test
  void whatIsNoPageIsRefusedAndStaysInTheRing() throws IOException {
    PagedFile direct = new PagedFile(open("out"));
    writer.write(part(0, 5000));
    reader.read(5);
    assertThatThrownBy(() -> reader.consumer().drain(direct, 100, 4096))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> reader.consumer().drain(direct, 0, 4095))
        .isInstanceOf(IOException.class);
    assertThat(ByteBuffer.wrap(reader.read(RING))).isEqualTo(part(5, 4995));
  }

  private int fill(FileChannel from, long at, long count) throws IOException {
    return writer.producer().fill(from, at, count, () -> true);
  }
}
