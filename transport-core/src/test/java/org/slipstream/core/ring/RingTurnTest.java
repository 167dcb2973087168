package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Leaving the anchor for the ring and coming back, as the two ends of the link see it. */
class RingTurnTest {
  private final RingEnd.Two two = RingEnd.two(4096, 4096);
  private final RingProducer writer = two.a().producer();
  private final RingConsumer reader = two.b().consumer();

  @Test
  void noTurnIsAnnouncedBeforeTheFirstSwitch() {
    assertThat(reader.turns().nextAt()).isEqualTo(-1);
    assertThat(writer.turns().isOver()).isTrue();
  }

  @Test
  void aSwitchIsSeenWithItsCountUntilMarkIsRead() {
    writer.turns().begin(1234);
    assertThat(reader.turns().nextAt()).isEqualTo(1234);
    reader.turns().begin();
    assertThat(reader.turns().nextAt())
        .as("this turn has begun; no other is announced")
        .isEqualTo(-1);
  }

  @Test
  void theWriterMayComeBackOnlyWhenTheReaderHasSeenTheTurnEnd() {
    writer.turns().begin(0);
    assertThat(writer.turns().isOver()).isFalse();
    reader.turns().begin();
    assertThat(writer.turns().isOver()).isFalse();
    reader.endTurn();
    assertThat(writer.turns().isOver()).isTrue();
  }

  /** Nothing travels the other way, so no echo tells either. */
  @Test
  void theEndOfATurnTellsTheWriterThatTheRingIsEmpty() throws Exception {
    writer.turns().begin(0);
    reader.turns().begin();
    assertThat(writer.write(ByteBuffer.allocate(100), () -> true)).isEqualTo(100);
    assertThat(reader.read(ByteBuffer.allocate(100))).isEqualTo(100);
    assertThat(writer.credit().isDrained()).as("less than a quarter was read").isFalse();
    reader.endTurn();
    assertThat(writer.credit().isDrained()).isTrue();
  }

  @Test
  void everyOneOfManyTurnsIsAnnounced() {
    for (int turn = 1; turn <= 1_000; turn++) {
      writer.turns().begin(turn);
      assertThat(reader.turns().nextAt()).as("turn %d", turn).isEqualTo(turn);
      reader.turns().begin();
      reader.endTurn();
      assertThat(writer.turns().isOver()).as("turn %d", turn).isTrue();
    }
  }

  @Test
  void everyOneOfManyTurnsIsAnnouncedThoughNoRawByteWasEverSent() {
    for (int turn = 1; turn <= 300; turn++) {
      writer.turns().begin(0);
      assertThat(reader.turns().nextAt()).as("turn %d", turn).isZero();
      reader.turns().begin();
      reader.endTurn();
    }
  }
}
