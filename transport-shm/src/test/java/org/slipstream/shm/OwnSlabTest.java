package org.slipstream.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.TestDirectory;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.slab.SlabLayout;

/** The storage of rings that no stream uses goes back to the system, and no other. */
class OwnSlabTest {
  private static final int RING = 64 * 1024;
  private static final Holes NO_HOLES = new Holes(() -> false);
  private static final SlabLayout LAYOUT = new SlabLayout(8, RING);

  private final MemoryBudget budget = new MemoryBudget(1L << 30);
  private TestDirectory directory;
  private Path file;
  private HandHost host;
  private OwnSlab slab;

  /** What the peer has of it: its mapping stays for the life of the session. */
  private RandomAccessFile open;

  private MemorySegment peer;

  @BeforeEach
  void slabThatThePeerHasMapped() throws IOException {
    directory = TestDirectory.create();
    Path home = directory.path();
    file = home.resolve("slab-0");
    host = new HandHost(home.resolve("r"), new ProcessId(1, 1));
    slab = new OwnSlab(0, LAYOUT, file, budget, NO_HOLES, () -> true, (ring, reusable) -> {});
    open = new RandomAccessFile(file.toFile(), "rw");
    peer = open.getChannel().map(MapMode.READ_WRITE, 0, LAYOUT.bytes(), Arena.ofAuto());
    slab.confirmed(true);
  }

  @AfterEach
  void remove() throws IOException {
    slab.sessionEnded();
    open.close();
    host.close();
    directory.close();
  }

  /** In bytes; the file has no name any more. */
  private long storage() throws Exception {
    int descriptor = 0;
    for (Path link : RuntimeDirectory.children(Path.of("/proc/self/fd"))) {
      if (Files.isSymbolicLink(link)
          && Files.readSymbolicLink(link).toString().startsWith(file.toString())) {
        descriptor = Integer.parseInt(link.getFileName().toString());
      }
    }
    Process stat =
        new ProcessBuilder(
                "stat",
                "-L",
                "-c",
                "%b",
                "/proc/" + ProcessHandle.current().pid() + "/fd/" + descriptor)
            .start();
    return 512
        * Long.parseLong(
            new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
  }

  private List<ShmWindow> busy(int count) throws IOException {
    List<ShmWindow> windows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ShmWindow window = slab.take();
      assertThat(window).isNotNull();
      window.grow(RING);
      windows.add(window);
    }
    return windows;
  }

  @Test
  void whatStaysFreeGivesItsStorageBack() throws Exception {
    List<ShmWindow> windows = busy(8);
    assertThat(storage()).isEqualTo(LAYOUT.bytes());
    assertThat(budget.usedBytes()).isEqualTo(LAYOUT.bytes());
    windows.forEach(ShmWindow::free);

    assertThat(slab.trim()).as("they were just freed").isTrue();
    assertThat(storage()).isEqualTo(LAYOUT.bytes());
    assertThat(slab.trim()).isFalse();

    assertThat(storage()).isEqualTo(LAYOUT.controlBytes());
    assertThat(budget.usedBytes()).isEqualTo(LAYOUT.controlBytes());
    assertThat(slab.trim()).isFalse();
  }

  @Test
  void aWindowIsUsedAgainWithStorageBehindItsFirstCommittedSizeOnly() throws Exception {
    busy(8).forEach(ShmWindow::free);
    slab.trim();
    slab.trim();
    ShmWindow again = slab.take();
    assertThat(again.committedBytes()).isEqualTo(ShmWindow.FIRST_COMMITTED);
    assertThat(storage()).isEqualTo(LAYOUT.controlBytes() + ShmWindow.FIRST_COMMITTED);
    again.grow(RING);
    // Both mappings are still of this file.
    peer.set(ValueLayout.JAVA_LONG, LAYOUT.ringOffset(0) + RING - 8, 77);
    assertThat(again.ring().get(ValueLayout.JAVA_LONG, RING - 8)).isEqualTo(77);
  }

  @Test
  void whatIsInUseIsLeftAlone() throws Exception {
    List<ShmWindow> windows = busy(8);
    for (int i = 0; i < 8; i++) {
      peer.set(ValueLayout.JAVA_LONG, LAYOUT.ringOffset(i), 100 + i);
    }
    for (int i = 3; i < 8; i++) {
      windows.get(i).free();
    }
    slab.trim();
    slab.trim();
    assertThat(storage()).isEqualTo(LAYOUT.ringOffset(3));
    for (int i = 0; i < 3; i++) {
      assertThat(windows.get(i).ring().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(100 + i);
      assertThat(windows.get(i).committedBytes()).isEqualTo(RING);
    }
  }

  @Test
  void aWindowThatIsUsedInBetweenKeepsItsStorage() throws Exception {
    List<ShmWindow> windows = busy(2);
    windows.get(1).free();
    slab.trim();
    ShmWindow again = slab.take();
    assertThat(again).isSameAs(windows.get(1));
    again.free();
    assertThat(slab.trim()).as("not quiet for the whole time").isTrue();
    assertThat(again.committedBytes()).isEqualTo(RING);
    slab.trim();
    assertThat(again.committedBytes()).isZero();
  }

  /** A store of the peer may still be under way there. */
  @Test
  void theStorageOfAQuarantinedWindowStays() throws Exception {
    List<ShmWindow> windows = busy(8);
    windows.get(7).quarantine();
    windows.subList(0, 7).forEach(ShmWindow::free);
    slab.trim();
    slab.trim();
    assertThat(windows.get(7).committedBytes()).isEqualTo(RING);
    assertThat(storage()).isGreaterThanOrEqualTo(RING + LAYOUT.controlBytes());
  }

  /** It compares the length of the file with what it was told. */
  @Test
  void beforeThePeerHasMappedItTheFileKeepsItsLength() throws Exception {
    Path path = directory.path().resolve("slab-1");
    OwnSlab young =
        new OwnSlab(1, LAYOUT, path, budget, NO_HOLES, () -> true, (ring, reusable) -> {});
    ShmWindow window = young.take();
    window.free();
    young.trim();
    young.trim();
    assertThat(window.committedBytes()).isEqualTo(ShmWindow.FIRST_COMMITTED);
    young.confirmed(true);
    young.trim();
    assertThat(window.committedBytes()).isZero();
    young.sessionEnded();
  }

  @Test
  void aFileThatThePeerHasTruncatedIsNotMadeWholeAgain() throws Exception {
    busy(8).forEach(ShmWindow::free);
    slab.trim();
    open.setLength(LAYOUT.controlBytes());
    assertThatThrownBy(slab::trim).hasMessage("the peer took away memory of a slab");
    assertThat(open.length()).isEqualTo(LAYOUT.controlBytes());
  }

  @Test
  void theLowestFreeSlotIsTakenFirst() throws Exception {
    List<ShmWindow> windows = busy(4);
    windows.get(2).free();
    windows.get(0).free();
    assertThat(slab.take()).isSameAs(windows.get(0));
    assertThat(slab.take()).isSameAs(windows.get(2));
  }

  @Test
  void inFrontOfOneInUseStorageComesBackByHoles() throws Exception {
    Path path = directory.path().resolve("slab-1");
    OwnSlab holed =
        new OwnSlab(
            1, LAYOUT, path, budget, new Holes(() -> true), () -> true, (ring, reusable) -> {});
    List<ShmWindow> windows = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      windows.add(holed.take());
      windows.get(i).grow(RING);
    }
    windows.get(7).ring().set(ValueLayout.JAVA_LONG, 0, 7);
    windows.subList(0, 7).forEach(ShmWindow::free);
    holed.trim();
    holed.trim();
    assertThat(windows).filteredOn(w -> w.committedBytes() > 0).containsExactly(windows.get(7));
    assertThat(windows.get(7).ring().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(7);
    assertThat(holed.take().committedBytes()).isEqualTo(ShmWindow.FIRST_COMMITTED);
    holed.sessionEnded();
  }

  @Test
  void aHoleTakesStorageOutOfTheMiddle() throws Exception {
    List<ShmWindow> windows = busy(8);
    peer.set(ValueLayout.JAVA_LONG, LAYOUT.ringOffset(2), 2);
    peer.set(ValueLayout.JAVA_LONG, LAYOUT.ringOffset(3), 3);
    assertThat(new Holes(() -> true).punch(windows.get(2).ring())).isTrue();
    assertThat(storage()).isEqualTo(LAYOUT.bytes() - RING);
    assertThat(peer.get(ValueLayout.JAVA_LONG, LAYOUT.ringOffset(2))).isZero();
    assertThat(peer.get(ValueLayout.JAVA_LONG, LAYOUT.ringOffset(3))).isEqualTo(3);
  }

  /** The kernel rounds a length up to whole pages, and those are 64 KiB on some kernels. */
  @Test
  void aRingSmallerThanAPageKeepsItsStorageAndSoDoTheRingsBehindIt() throws Exception {
    List<ShmWindow> windows = busy(8);
    peer.set(ValueLayout.JAVA_LONG, LAYOUT.ringOffset(3), 3);
    Holes coarse = new Holes(() -> true, () -> 2L * RING);
    for (int slot = 1; slot < 4; slot++) {
      assertThat(coarse.punch(windows.get(slot).ring())).isFalse();
    }
    assertThat(coarse.arePossible()).isFalse();
    assertThat(storage()).isEqualTo(LAYOUT.bytes());
    assertThat(peer.get(ValueLayout.JAVA_LONG, LAYOUT.ringOffset(3))).isEqualTo(3);
  }
}
