package org.slipstream.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RandomBitsTest {
  /** Over several fillings of the pool, with both ways of asking. */
  @Test
  void noBitsComeTwiceAndEachBitIsSetAboutHalfOfTheTime() {
    Set<Long> seen = new HashSet<>();
    int[] set = new int[Long.SIZE];
    int rounds = 2_000;
    for (int i = 0; i < rounds; i++) {
      long bits = RandomBits.next();
      seen.add(bits);
      for (int bit = 0; bit < set.length; bit++) {
        set[bit] += (int) (bits >>> bit & 1);
      }
      byte[] more = new byte[i % 7];
      RandomBits.fill(more);
    }
    assertThat(seen).hasSize(rounds);
    for (int count : set) {
      assertThat(count).isBetween(rounds * 4 / 10, rounds * 6 / 10); // nine standard deviations
    }
  }

  @Test
  void anArrayIsFilledToItsEnd() {
    boolean[] changed = new boolean[1500];
    for (int round = 0; round < 20; round++) {
      byte[] bytes = new byte[changed.length];
      RandomBits.fill(bytes);
      for (int i = 0; i < bytes.length; i++) {
        changed[i] |= bytes[i] != 0;
      }
    }
    assertThat(changed).doesNotContain(false);
  }
}
