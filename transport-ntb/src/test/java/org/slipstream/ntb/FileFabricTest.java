package org.slipstream.ntb;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes of one mapped file, in one process. */
class FileFabricTest {
  private static final byte[] NOTHING = new byte[0];

  @TempDir private Path directory;
  private Path file;
  private FileFabric low;
  private FileFabric high;

  @BeforeEach
  void open() throws Exception {
    file = directory.resolve("window");
    try (RandomAccessFile f = new RandomAccessFile(file.toFile(), "rw")) {
      f.setLength(4 << 20);
    }
    low = FileFabric.open(file, 1, 2);
    high = FileFabric.open(file, 2, 1);
  }

  @AfterEach
  void close() {
    low.close();
    high.close();
  }

  @Test
  void aProcessOfTheOtherNodeIsSeenByItsBeat() throws Exception {
    assertThat(FileFabric.hasPeer(file, 1, 2)).as("it does not wait for messages yet").isFalse();
    Thread peer = Thread.ofPlatform().daemon().start(() -> high.await(60_000));
    try {
      assertThat(FileFabric.hasPeer(file, 1, 2)).isTrue();
      assertThat(FileFabric.hasPeer(file, 2, 1)).as("the other way").isFalse();
    } finally {
      high.close();
      peer.join();
    }
  }

  @Test
  void whatOneNodeExportsTheOtherMaps() throws Exception {
    Exported own = low.export(77, 10_000, new byte[] {9});
    Imported theirs = high.connect(1, 77, false);
    assertThat(theirs.memory().byteSize()).isEqualTo(10_000);
    byte[] first = new byte[1];
    theirs.read(0, first);
    assertThat(first[0]).isEqualTo((byte) 9);
    theirs.memory().set(JAVA_LONG, 8, 42);
    assertThat(own.memory().get(JAVA_LONG, 8)).isEqualTo(42);
    assertThat(high.connect(1, 78, false)).isNull();
    assertThat(low.export(77, 100, NOTHING)).as("the id is used").isNull();
    assertThat(theirs.health()).isEqualTo(Imported.Health.GOOD);
    own.close();
    assertThat(theirs.health()).isEqualTo(Imported.Health.GONE);
    assertThat(high.connect(1, 77, false)).isNull();
  }

  @Test
  void messagesArriveInOrderUntilTheQueueIsFull() {
    assertThat(high.await(0)).isNull();
    int sent = 0;
    while (low.send(2, high.inbox(), new byte[] {(byte) sent})) {
      sent++;
    }
    assertThat(sent).isEqualTo(FileLayout.MAX_MESSAGES);
    for (int i = 0; i < sent; i++) {
      assertThat(high.await(60_000)).containsExactly(i);
    }
    assertThat(high.await(0)).isNull();
    assertThat(low.send(2, high.inbox(), new byte[] {1, 2})).isTrue();
    assertThat(high.await(60_000)).containsExactly(1, 2);
    assertThat(low.send(3, 3, new byte[1])).as("another node").isFalse();
  }

  @Test
  void memoryThatThePeerMayStoreIntoIsNotUsedAgainWhileItLives() throws Exception {
    Exported first = low.export(1, 1 << 20, NOTHING);
    first.close();
    assertThatThrownBy(() -> low.export(2, 1 << 20, NOTHING))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("too small for more windows");
    high.close();
    assertThat(low.export(3, 1 << 20, NOTHING)).isNotNull();
  }

  @Test
  void messagesGoOnWhenAProcessStartsAgain() {
    low.send(2, 2, new byte[] {1});
    high.send(1, 1, new byte[] {2});
    assertThat(high.await(60_000)).containsExactly(1);
    assertThat(low.await(60_000)).containsExactly(2);
    high.send(1, 1, new byte[] {3}); // never read: its sender is gone by then
    high.restart();
    assertThat(low.await(0)).isNull();
    assertThat(high.send(1, 1, new byte[] {4})).isTrue();
    assertThat(low.await(60_000)).containsExactly(4);
    assertThat(low.send(2, 2, new byte[] {5})).isTrue();
    assertThat(high.await(60_000)).containsExactly(5);
    assertThat(high.await(0)).isNull();
  }

  @Test
  void aSegmentInTheMiddleOfAWordIsRefused() throws Exception {
    low.export(77, 10_000, NOTHING);
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Arena arena = Arena.ofConfined()) {
      MemorySegment his = channel.map(FileChannel.MapMode.READ_WRITE, 0, 2 << 20, arena);
      long at = FileLayout.entry(0) + FileLayout.ENTRY_OFFSET;
      FileLayout.putLong(his, at, FileLayout.getLong(his, at) + 4);
    }
    assertThatThrownBy(() -> high.connect(1, 77, false))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("in the middle of a word");
  }

  @Test
  void advertisementsComeAndGo() throws Exception {
    for (int i = 0; i < 1000; i++) {
      low.export(1, Advertisement.SEGMENT_BYTES, new byte[] {1}).close();
    }
  }

  @Test
  void aHalfBelongsToOneProcess() {
    assertThatThrownBy(() -> FileFabric.open(file, 1, 2))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is used by this process already");
  }

  @Test
  void aFileThatIsNoneIsAnAnswer() throws Exception {
    Path small = Files.writeString(directory.resolve("small"), "no window");
    assertThatThrownBy(() -> FileFabric.open(directory.resolve("none"), 1, 2))
        .hasMessageContaining("can not be opened");
    assertThatThrownBy(() -> FileFabric.open(small, 1, 2)).hasMessageContaining("a window needs");
  }
}
