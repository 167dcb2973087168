package org.slipstream.core.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ConnectionNameTest {
  private static final long MS = 1_000_000;

  /** The kernel's clock of sequence numbers: it goes on once in so many nanoseconds. */
  private static final int TICK_NS = 64;

  /** Always the same: by chance, one run in 5,000 would find a wrong one. */
  private static final long DRAW = 21;

  @Test
  void aLaterSegmentNamesTheFirst() {
    // 3 bytes were written before these 5; the SYN was sent a millisecond earlier.
    ConnectionName name = ConnectionName.of(new SegmentHead(0x779d6acd, 5, 0xa67a50b5), 8, 40 * MS);
    assertThat(name.is(0x779d6ac9, 0xa67a50b4)).isTrue();
    assertThat(name.is(0x779d6ac9, 0xa67a50b5 - 40)).isTrue();
    assertThat(name.is(0x779d6ac8, 0xa67a50b4)).as("another number").isFalse();
    assertThat(name.is(0x779d6ac9, 0xa67a50b5 + 10)).as("later than the segment").isFalse();
    assertThat(name.is(0x779d6ac9, 0xa67a50b5 - 60)).as("before it was made").isFalse();
    assertThat(name.hint()).isEqualTo((short) 0x6ac9);
  }

  @Test
  void bothNumbersGoRound() {
    ConnectionName name = ConnectionName.of(new SegmentHead(3, 5, 1), (1L << 32) + 20, 10 * MS);
    assertThat(name.is(3 + 5 - 1 - 20, -5)).isTrue();
    assertThat(name.is(3 + 5 - 1 - 20, 1)).isTrue();
    assertThat(name.is(3 + 5 - 1 - 20, -40)).isFalse();
  }

  @Test
  void aConnectionWhoseClockIsNotKnownWellHasNoName() {
    ConnectionName name =
        ConnectionName.of(new SegmentHead(9, 5, 1_000), 8, 10L * 3600 * 1_000 * MS);
    assertThat(name.is(5, 1_000)).isFalse();
    assertThat(name.is(5, 999)).isFalse();
  }

  /**
   * A million streams, each among the connections of a busy node. The numbers are drawn as the
   * kernel draws them: random for each pair of addresses and ports, plus a clock that counts 64 ns;
   * and a clock in milliseconds with a random offset for each pair of addresses. Beside strangers
   * there are always a forwarder of the very stream that connects from its own address, one that
   * takes the client's address and port as well (so that both offsets are equal, and only time
   * differs), an old connection of the same addresses and ports, and another one of the same client
   * made in the same millisecond.
   */
  @Test
  void noneOfAMillionStreamsFindsAnother() {
    Random random = new Random(DRAW);
    int own = 0;
    int others = 0;
    for (int i = 0; i < 1_000_000; i++) {
      long born = Math.abs(random.nextLong() >> 10); // in nanoseconds
      int numbers = random.nextInt();
      int offset = random.nextInt();
      int first = numbers + (int) (born / TICK_NS);
      int clock = offset + (int) (born / MS);
      long before = 1L + random.nextInt(10_000);
      int length = 1 + random.nextInt((int) before);
      long sent = born + random.nextInt(50_000_000);
      ConnectionName name =
          ConnectionName.of(
              new SegmentHead(
                  (int) (first + 1 + before - length), length, offset + (int) (sent / MS)),
              before,
              sent - born + random.nextInt(20_000_000));
      own += name.is(first, clock) ? 1 : 0;

      // Its connect follows when the client's was answered: some microseconds later.
      long later = born + 2_000 + random.nextInt(1_000_000);
      others += name.is(random.nextInt(), offset + (int) (later / MS)) ? 1 : 0;
      others += name.is(numbers + (int) (later / TICK_NS), offset + (int) (later / MS)) ? 1 : 0;
      long earlier = born - TICK_NS - random.nextInt(1_000_000_000);
      others += name.is(numbers + (int) (earlier / TICK_NS), offset + (int) (earlier / MS)) ? 1 : 0;
      others += name.is(random.nextInt(), clock) ? 1 : 0;
      for (int stranger = 0; stranger < 16; stranger++) {
        others += name.is(random.nextInt(), random.nextInt()) ? 1 : 0;
      }
    }
    assertThat(own).as("found").isEqualTo(1_000_000);
    assertThat(others).as("wrong ones").isZero();
  }
}
