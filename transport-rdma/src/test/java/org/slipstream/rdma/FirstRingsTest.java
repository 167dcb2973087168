package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.TransportSettings;

/** The first few sessions of a process have a larger first ring, where memory is plenty. */
class FirstRingsTest {
  private static final int USUAL = 256 * 1024;
  private static final int LARGER = 1024 * 1024;
  private static final TransportSettings AUTO = new TransportSettings(null, USUAL, LARGER);
  private static final long PLENTY = 1L << 30;

  private static FirstRings rings(TransportSettings settings, long budget, long lockable) {
    return new FirstRings(settings, new MemoryBudget(budget), () -> lockable);
  }

  private static int larger(FirstRings rings) {
    int n = 0;
    for (int i = 0; i < 2 * FirstRings.MOST; i++) {
      n += rings.take() == LARGER ? 1 : 0;
    }
    return n;
  }

  @Test
  void aFewHaveThemAndTheNextOnesHaveNot() {
    FirstRings rings = rings(AUTO, PLENTY, Long.MAX_VALUE);
    for (int i = 0; i < FirstRings.MOST; i++) {
      assertThat(rings.take()).isEqualTo(LARGER);
    }
    assertThat(rings.take()).isEqualTo(USUAL);
  }

  @Test
  void oneThatWasGivenBackIsTheNextSessions() {
    FirstRings rings = rings(AUTO, PLENTY, Long.MAX_VALUE);
    larger(rings);
    rings.giveBack(USUAL);
    assertThat(rings.take()).as("a usual one counts for nothing").isEqualTo(USUAL);
    rings.giveBack(LARGER);
    assertThat(rings.take()).isEqualTo(LARGER);
    assertThat(rings.take()).isEqualTo(USUAL);
  }

  @ParameterizedTest(name = "{0} bytes may be locked: {1}")
  @CsvSource({
    "-1, 0",
    "65536, 0",
    "8388608, 0",
    "67108863, 0",
    "67108864, 4",
    "9223372036854775807, 4"
  })
  void whereLittleMayBeLockedThereIsNone(long lockable, int expected) {
    assertThat(larger(rings(AUTO, PLENTY, lockable))).isEqualTo(expected);
  }

  @ParameterizedTest(name = "a limit of {0} MiB: {1}")
  @CsvSource({"0, 0", "7, 0", "8, 1", "31, 3", "32, 4", "1024, 4"})
  void theyTakeAnEighthOfTheMemoryLimitAtMost(long mebibytes, int expected) {
    assertThat(larger(rings(AUTO, mebibytes << 20, Long.MAX_VALUE))).isEqualTo(expected);
  }

  @Test
  void aSizeThatTheUserHasChosenIsThatOfAllSessions() {
    FirstRings rings = rings(new TransportSettings(null, LARGER, LARGER), PLENTY, Long.MAX_VALUE);
    for (int i = 0; i < 2 * FirstRings.MOST; i++) {
      assertThat(rings.take()).isEqualTo(LARGER);
      rings.giveBack(LARGER);
    }
  }
}
