package org.slipstream.ntb;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.ntb.sisci.NativeTestLibrary;
import org.slipstream.ntb.sisci.SisciLibrary;

/** From how many bytes on the engine copies: as set, or as measured when a window is mapped. */
class CrossoverTest {
  private static final int SEGMENT = 815;
  private static final int BYTES = 512 * 1024;

  private NativeTestLibrary natives;
  private SisciLibrary library;
  private Exported exported;

  @BeforeEach
  void twoNodes() throws Throwable {
    natives = NativeTestLibrary.of("loopback");
    Path directory =
        Path.of("target", "loopback-worlds", "loopback-" + ProcessHandle.current().pid());
    Files.createDirectories(directory);
    natives.configure(directory.toAbsolutePath(), "4,8", true);
    library = natives.load();
    exported = fabrics("off").get(1).export(SEGMENT, BYTES, new byte[0]);
  }

  @AfterEach
  void close() {
    if (exported != null) { // skipped without a C compiler
      exported.close();
    }
  }

  private List<Fabric> fabrics(String dma) throws Exception {
    return SisciFabric.open(
        library,
        new NtbSettings(null, natives.path(), NtbSettings.TRUSTED, dma, "commit", null, "64m"));
  }

  private Imported connect(String dma) throws Exception {
    return fabrics(dma).get(0).connect(8, SEGMENT, true);
  }

  /** The double's engine is a thread: on a loaded machine it may be late, and is stopped then. */
  private static boolean transfers(Imported imported, int from, int length) throws Exception {
    long end = System.nanoTime() + 60_000_000_000L;
    while (System.nanoTime() - end < 0) {
      if (imported.transfer(from, length)) {
        return true;
      }
    }
    return false;
  }

  @Test
  void isNeverReachedWhenTheEngineIsOff() throws Exception {
    try (Imported imported = connect("off")) {
      assertThat(imported.crossover()).isEqualTo(Long.MAX_VALUE);
      assertThat(imported.transfer(0, 4096)).isFalse();
    }
  }

  @Test
  void isWhatIsSet() throws Exception {
    try (Imported imported = connect("20000")) {
      assertThat(imported.crossover()).isEqualTo(20_000);
      imported.mirror().set(JAVA_LONG, 800, 5);
      assertThat(transfers(imported, 800, 4096)).isTrue();
      assertThat(exported.memory().get(JAVA_LONG, 800)).isEqualTo(5);
    }
  }

  @Test
  void twoTransfersAreUnderWayAtOnce() throws Throwable {
    try (Imported imported = connect("4096")) {
      imported.mirror().set(JAVA_LONG, 0, 5);
      imported.mirror().set(JAVA_LONG, 4096, 6);
      natives.stallDma(true, false);
      int first = imported.begin(0, 4096);
      int second = imported.begin(4096, 4096);
      assertThat(first).isNotNegative();
      assertThat(second).isNotNegative().isNotEqualTo(first);
      assertThat(imported.begin(8192, 4096)).as("the engine takes no third").isNegative();
      natives.stallDma(false, false);
      // A double that is late is stopped; then nothing is known to have arrived.
      boolean ended = imported.end(second);
      final boolean both = imported.end(first) && ended;
      assertThat(imported.isBroken()).isFalse();
      assertThat(transfers(imported, 0, 8192)).as("both channels are free again").isTrue();
      assertThat(exported.memory().get(JAVA_LONG, 0)).isEqualTo(5);
      assertThat(exported.memory().get(JAVA_LONG, 4096)).as("both: %s", both).isEqualTo(6);
    } finally {
      natives.stallDma(false, false);
    }
  }

  /** Whatever the machine is like: one of the sizes that were tried, or never. */
  @Test
  void isMeasuredOtherwise() throws Exception {
    try (Imported imported = connect("auto")) {
      assertThat(imported.crossover()).isIn(4_096L, 16_384L, 65_536L, 262_144L, Long.MAX_VALUE);
      imported.mirror().set(JAVA_LONG, 0, 7);
      assertThat(transfers(imported, 0, 8)).as("the engine is there").isTrue();
      assertThat(exported.memory().get(JAVA_LONG, 0)).isEqualTo(7);
    }
  }

  /** What is stored instead must not be overwritten by a transfer that begins after all. */
  @Test
  void anEngineThatDoesNotAnswerIsStopped() throws Throwable {
    try (Imported imported = connect("4096")) {
      natives.stallDma(true, false);
      imported.mirror().set(JAVA_LONG, 0, 9);
      assertThat(imported.transfer(0, 4096)).isFalse();
      assertThat(imported.isBroken()).isFalse();
      natives.stallDma(false, false);
      imported.mirror().set(JAVA_LONG, 0, 10);
      assertThat(transfers(imported, 0, 4096)).as("and of use again").isTrue();
      assertThat(exported.memory().get(JAVA_LONG, 0)).isEqualTo(10);
    } finally {
      natives.stallDma(false, false);
    }
  }

  @Test
  void anEngineThatCanNotBeStoppedBreaksTheWay() throws Throwable {
    try (Imported imported = connect("4096")) {
      natives.stallDma(true, true);
      assertThat(imported.transfer(0, 4096)).isFalse();
      assertThat(imported.isBroken()).isTrue();
      assertThat(imported.transfer(0, 4096)).as("no thread waits for it again").isFalse();
    } finally {
      natives.stallDma(false, false);
    }
  }

  /** Other processes of the host need their part of the board's window. */
  @Test
  void noMoreIsMappedThanTheSettingLeaves() throws Exception {
    NtbSettings little =
        new NtbSettings(
            null, natives.path(), NtbSettings.TRUSTED, "off", "commit", null, "" + BYTES);
    Fabric fabric = SisciFabric.open(library, little).get(0);
    Imported first = fabric.connect(8, SEGMENT, true);
    assertThatThrownBy(() -> fabric.connect(8, SEGMENT, true))
        .hasMessageContaining("slipstream.ntb.window");
    first.close();
    fabric.connect(8, SEGMENT, true).close();
  }
}
