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
    assertThat(reader.nextTurnAt()).isEqualTo(-1);
    assertThat(writer.isTurnOver()).isTrue();
  }

  @Test
  void aSwitchIsSeenWithItsCountUntilMarkIsRead() {
    writer.beginTurn(1234);
    assertThat(reader.nextTurnAt()).isEqualTo(1234);
    reader.beginTurn();
    assertThat(reader.nextTurnAt()).as("this turn has begun; no other is announced").isEqualTo(-1);
  }

  @Test
  void theWriterMayComeBackOnlyWhenTheReaderHasSeenTheTurnEnd() {
    writer.beginTurn(0);
    assertThat(writer.isTurnOver()).isFalse();
    reader.beginTurn();
    assertThat(writer.isTurnOver()).isFalse();
    reader.endTurn();
    assertThat(writer.isTurnOver()).isTrue();
  }

  /** Nothing travels the other way, so no echo tells either. */
  @Test
  void theEndOfATurnTellsTheWriterThatTheRingIsEmpty() throws Exception {
    writer.beginTurn(0);
    reader.beginTurn();
    assertThat(writer.write(ByteBuffer.allocate(100), () -> true)).isEqualTo(100);
    assertThat(reader.read(ByteBuffer.allocate(100))).isEqualTo(100);
    assertThat(writer.drained()).as("less than a quarter was read").isFalse();
    reader.endTurn();
    assertThat(writer.drained()).isTrue();
  }

  @Test
  void everyOneOfManyTurnsIsAnnounced() {
    for (int turn = 1; turn <= 1_000; turn++) {
      writer.beginTurn(turn);
      assertThat(reader.nextTurnAt()).as("turn %d", turn).isEqualTo(turn);
      reader.beginTurn();
      reader.endTurn();
      assertThat(writer.isTurnOver()).as("turn %d", turn).isTrue();
    }
  }

  @Test
  void everyOneOfManyTurnsIsAnnouncedThoughNoRawByteWasEverSent() {
    for (int turn = 1; turn <= 300; turn++) {
      writer.beginTurn(0);
      assertThat(reader.nextTurnAt()).as("turn %d", turn).isZero();
      reader.beginTurn();
      reader.endTurn();
    }
  }
}
