package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.slipstream.transport.ControlLayout;

/** A peer that writes anything into its window ends its own stream, with one exception only. */
class RingHostilePropertyTest {
  private static final int SIZE = 4096;

  /** The peer stores a word, then we do something. */
  record Blow(int offset, long value, int action) {}

  @Provide
  Arbitrary<List<Blow>> blows() {
    Arbitrary<Long> values =
        Arbitraries.oneOf(
            Arbitraries.longs(),
            Arbitraries.longs().between(-3, 2L * SIZE),
            Arbitraries.longs().between(0, 200).map(v -> (v << 7) | 127),
            Arbitraries.of(
                Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - SIZE, -1L, 1L << 55, 1L << 31));
    return Combinators.combine(
            Arbitraries.integers().between(0, ControlLayout.BYTES / 8 - 1).map(i -> i * 8),
            values,
            Arbitraries.integers().between(0, 13))
        .as(Blow::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(40);
  }

  @Property(tries = 2_000, edgeCases = EdgeCasesMode.NONE)
  void everyWordMayBeAnythingAndOnlyAViolationComesOut(@ForAll("blows") List<Blow> blows)
      throws IOException {
    RingEnd.Two two = RingEnd.two(SIZE, 512);
    RingEnd victim = two.a();
    for (Blow blow : blows) {
      victim.peerSays(blow.offset, blow.value);
      try {
        act(victim, blow.action);
      } catch (ProtocolViolationException e) {
        assertThat(e).hasMessageStartingWith("Peer");
      }
    }
  }

  private static void act(RingEnd victim, int action) throws IOException {
    RingConsumer in = victim.consumer();
    RingProducer out = victim.producer();
    switch (action) {
      case 0 -> readOnce(victim, 1);
      case 1 -> readOnce(victim, 100);
      case 2 -> readOnce(victim, 3 * SIZE);
      case 3 -> assertThat(in.availableBytes()).isBetween(0, SIZE);
      case 4 -> {
        touch(in.available());
        touch(in.peekAvailable());
        touch(in.peekFin());
      }
      case 5 -> touch(in.finReached());
      case 6 -> touch(in.arm());
      case 7 -> in.doorbellHeard();
      case 8 -> assertThat(victim.write(new byte[40])).isBetween(0, 40);
      case 9 -> assertThat(victim.write(new byte[2 * SIZE])).isBetween(0, SIZE);
      case 10 -> assertThat(out.credit().space(SIZE)).isBetween(0, SIZE);
      case 11 -> touch(out.credit().isDrained());
      case 12 -> {
        out.credit().request();
        touch(in.credit().takeNotice());
      }
      default ->
          assertThat(
                  victim.write(
                      new ByteBuffer[] {ByteBuffer.allocate(70), ByteBuffer.allocateDirect(SIZE)}))
              .isBetween(0L, 70L + SIZE);
    }
  }

  private static void readOnce(RingEnd victim, int room) throws IOException {
    long before = victim.consumer().consumed();
    ByteBuffer dst = ByteBuffer.allocate(room);
    int n = victim.consumer().read(dst);
    assertThat(n).isBetween(0, Math.min(room, SIZE));
    assertThat(dst.position()).isEqualTo(n);
    assertThat(victim.consumer().consumed()).isEqualTo(before + n);
  }

  private static void touch(boolean anything) {
    assertThat(anything).isIn(true, false);
  }

  @Property(tries = 1_000)
  void aPositionOutsideTheRingIsRefusedAndNothingIsRead(@ForAll long position) throws IOException {
    RingEnd victim = RingEnd.two(SIZE, SIZE).a();
    victim.peerSays(ControlLayout.POSITION, position);
    ByteBuffer dst = ByteBuffer.allocate(2 * SIZE);
    try {
      assertThat(victim.consumer().read(dst)).isBetween(0, SIZE);
      assertThat(position).isBetween(0L, (long) SIZE);
    } catch (ProtocolViolationException e) {
      assertThat(position < 0 || position > SIZE).isTrue();
      assertThat(dst.position()).isZero();
    }
  }

  @Property(tries = 1_000)
  void creditForBytesThatWereNeverSentIsRefused(@ForAll long credit, @ForAll boolean echo)
      throws IOException {
    RingEnd victim = RingEnd.two(SIZE, SIZE).a();
    victim.write(new byte[SIZE]);
    victim.peerSays(echo ? ControlLayout.PIGGYBACK : ControlLayout.CREDIT, credit);
    try {
      int space = victim.producer().credit().space(1);
      assertThat(space).isEqualTo((int) Math.max(0, credit));
      assertThat(credit).isLessThanOrEqualTo(SIZE);
    } catch (ProtocolViolationException e) {
      assertThat(credit).isGreaterThan(SIZE);
    }
  }

  @Property(tries = 500)
  void aCommittedSizeBeyondTheRingIsCutAndANegativeOneIsNone(@ForAll long committed)
      throws IOException {
    RingEnd victim = RingEnd.two(SIZE, 512).a();
    victim.peerSays(ControlLayout.COMMITTED, committed);
    assertThat(victim.producer().credit().space(SIZE))
        .as("the largest power of two in it")
        .isEqualTo(Integer.highestOneBit((int) Math.clamp(committed, 0L, SIZE)));
  }

  @Property(tries = 500)
  void anExtentWithoutStorageIsRefused(@ForAll long word) throws IOException {
    RingEnd.Two two = RingEnd.two(SIZE, 512);
    RingEnd victim = two.a();
    victim.peerSays(ControlLayout.POSITION, 300);
    assertThat(victim.read(SIZE)).as("grows: to four times as much").hasSize(300);
    victim.peerSays(ControlLayout.EXTENT, word);
    victim.peerSays(ControlLayout.POSITION, 600);
    long extent = ControlLayout.extentBytes(word);
    try {
      assertThat(victim.read(SIZE)).hasSize(300);
      assertThat(word == 0 || (extent > 512 && extent <= 2048)).isTrue();
    } catch (ProtocolViolationException e) {
      assertThat(extent <= 512 || extent > 2048).isTrue();
    }
  }

  @Property(tries = 500)
  void aMailboxLengthThatCannotBeIsRefused(@ForAll long inline) throws IOException {
    RingEnd.Two two = RingEnd.two(SIZE, SIZE);
    RingEnd victim = two.a();
    victim.peerSays(ControlLayout.INLINE, inline & 127);
    victim.peerSays(ControlLayout.POSITION, 100);
    int claimed = (int) (inline & 127);
    try {
      assertThat(victim.read(200)).hasSize(100);
      assertThat(claimed).isLessThanOrEqualTo(ControlLayout.MAILBOX_BYTES);
    } catch (ProtocolViolationException e) {
      assertThat(claimed).isGreaterThan(ControlLayout.MAILBOX_BYTES);
    }
  }
}
