package org.slipstream.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.ProcessId;

/** The first few streams of a process have larger rings, as far as the memory limit carries. */
class RingSizesTest {
  private static final int SMALL = HandHost.RING_BYTES;
  private static final int LARGE = 4 * SMALL;

  @TempDir Path temp;
  private HandHost host;
  private RingSizes sizes;

  @BeforeEach
  void make() throws IOException {
    host = new HandHost(temp.resolve("r"), new ProcessId(1, 1));
    host.firstRingBytes = LARGE;
    sizes = new RingSizes(host);
  }

  @AfterEach
  void close() throws IOException {
    host.close();
  }

  private int take() {
    int bytes = sizes.next();
    sizes.taken(bytes);
    return bytes;
  }

  private void takeLarge(int count) {
    for (int i = 0; i < count; i++) {
      assertThat(take()).isEqualTo(LARGE);
    }
  }

  @Test
  void theFirstFewStreamsHaveLargerRings() {
    takeLarge(RingSizes.MOST);
    assertThat(take()).isEqualTo(SMALL);
    assertThat(take()).isEqualTo(SMALL);
  }

  @Test
  void aLargerRingThatWasGivenBackIsTheNextStreams() {
    takeLarge(RingSizes.MOST);
    take();
    sizes.givenBack(SMALL);
    assertThat(sizes.next()).as("a small one counts for nothing").isEqualTo(SMALL);
    sizes.givenBack(LARGE);
    takeLarge(1);
    assertThat(take()).isEqualTo(SMALL);
  }

  @ParameterizedTest(name = "a limit of {0} KiB: {1}")
  @CsvSource({"0, 0", "8191, 0", "8192, 1", "65535, 7", "65536, 8", "1048576, 8"})
  void largerRingsTakeAnEighthOfTheMemoryLimitAtMost(long kibibytes, int larger) {
    host.budget = new MemoryBudget(kibibytes << 10);
    takeLarge(larger);
    assertThat(take()).isEqualTo(SMALL);
  }

  @Test
  void aSizeThatTheUserHasChosenIsThatOfAllStreams() {
    host.firstRingBytes = SMALL;
    for (int i = 0; i < 2 * RingSizes.MOST; i++) {
      assertThat(take()).isEqualTo(SMALL);
    }
    assertThat(sizes.slots(SMALL, 64)).isEqualTo(64);
  }

  @Test
  void aSlabOfLargerRingsHasNoMoreThanThereMayBe() {
    assertThat(sizes.slots(LARGE, 64)).isEqualTo(RingSizes.MOST);
    assertThat(sizes.slots(SMALL, 64)).isEqualTo(64);
  }
}
