package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.slab.SlabSlots;

/** The locked memory of peers and streams is as docs/RDMA.md says: computed from the layouts. */
class RdmaPinnedTableTest {
  private static final Path PAGE = Path.of("../docs/RDMA.md");
  private static final List<Integer> RINGS = List.of(256 * 1024, 64 * 1024, 16 * 1024);

  /** Peers, and streams of each. */
  private static final List<int[]> ROWS =
      List.of(
          new int[] {1, 1},
          new int[] {100, 1},
          new int[] {1_000, 1},
          new int[] {1_000, 10},
          new int[] {1, 10},
          new int[] {1, 100},
          new int[] {1, 1_000},
          new int[] {1, 10_000});

  @Test
  void theTableIsThatOfTheLayouts() throws Exception {
    String table = ROWS.stream().map(row -> row(row[0], row[1])).collect(Collectors.joining("\n"));
    assertThat(Files.readString(PAGE)).contains(table);
  }

  @Test
  void aThousandPeersWithOneIdleStreamPin512MiBAtMost() {
    assertThat(1_000 * session(1, RINGS.getFirst())).isLessThanOrEqualTo(512L << 20);
  }

  private static String row(int peers, int streams) {
    return String.format(Locale.ROOT, "| %,d | %,d | ", peers, streams)
        + RINGS.stream()
            .map(ring -> mebibytes(peers * session(streams, ring)))
            .collect(Collectors.joining(" | "))
        + " |";
  }

  private static String mebibytes(long bytes) {
    return String.format(Locale.ROOT, "%,.1f", bytes / (double) (1 << 20));
  }

  /** Between two processes with the same setting, of which one connects. */
  private static long session(int streams, int ringBytes) {
    SlabSlots sizes = new SlabSlots(SessionSlabs.MOST_SLOTS);
    long slabs = 0;
    for (int have = 0; have < streams; ) {
      int ring = sizes.nextRing(ringBytes);
      int slots = sizes.next(ring);
      sizes.made(slots);
      slabs += Slab.bytes(slots, ring);
      have += slots;
    }
    return Connection.pinnedBytes(SendQueue.SENDS, ControlLayout.PLAIN_BYTES) + 2 * slabs;
  }
}
