package org.slipstream.ntb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.slab.SlabLayout;
import org.slipstream.transport.slab.SlabSlots;

/** What peers and streams take of a board's window is as docs/NTB.md says. */
class NtbWindowTableTest {
  private static final Path PAGE = Path.of("../docs/NTB.md");
  private static final List<Integer> RINGS = List.of(256 * 1024, 64 * 1024, 16 * 1024);

  /** By the vendor's documentation, what a board has by default. */
  private static final long BOARD = 256L << 20;

  /** Pairs of processes, and streams of each. */
  private static final List<int[]> ROWS =
      List.of(
          new int[] {1, 1},
          new int[] {100, 1},
          new int[] {1_000, 1},
          new int[] {1, 10},
          new int[] {1, 100},
          new int[] {1, 1_000});

  @Test
  void theTableIsThatOfTheLayouts() throws Exception {
    String table = ROWS.stream().map(row -> row(row[0], row[1])).collect(Collectors.joining("\n"));
    assertThat(Files.readString(PAGE)).contains(table);
  }

  @Test
  void aThousandPairsWithOneStreamFitIntoABoard() {
    assertThat(1_000 * session(1, RINGS.getFirst())).isLessThanOrEqualTo(BOARD);
  }

  private static String row(int pairs, int streams) {
    return String.format(Locale.ROOT, "| %,d | %,d | ", pairs, streams)
        + RINGS.stream()
            .map(ring -> mebibytes(pairs * session(streams, ring)))
            .collect(Collectors.joining(" | "))
        + " |";
  }

  private static String mebibytes(long bytes) {
    return String.format(Locale.ROOT, "%,.1f", bytes / (double) (1 << 20));
  }

  /** What one end maps of the other. */
  private static long session(int streams, int ringBytes) {
    SlabSlots sizes = new SlabSlots(NtbSession.MOST_SLOTS);
    long bytes = SessionLayout.BYTES;
    for (int have = 0; have < streams; ) {
      int ring = sizes.nextRing(ringBytes);
      SlabLayout layout = new SlabLayout(sizes.next(ring), ring);
      sizes.made(layout.slots());
      bytes += layout.bytes();
      have += layout.slots();
    }
    return bytes;
  }
}
