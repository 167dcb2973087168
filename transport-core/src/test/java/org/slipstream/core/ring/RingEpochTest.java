package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Leaving TCP for the ring and coming back, as the two ends of the link see it. */
class RingEpochTest {
  private final RingEnd.Two two = RingEnd.two(4096, 4096);
  private final RingProducer writer = two.a().producer();
  private final RingConsumer reader = two.b().consumer();

  @Test
  void noEpochIsAnnouncedBeforeTheFirstSwitch() {
    assertThat(reader.epochs().nextAt()).isEqualTo(-1);
    assertThat(writer.epochs().isOver()).isTrue();
  }

  @Test
  void aSwitchIsSeenWithItsCountUntilMarkIsRead() {
    writer.epochs().begin(1234);
    assertThat(reader.epochs().nextAt()).isEqualTo(1234);
    reader.epochs().begin();
    assertThat(reader.epochs().nextAt())
        .as("this epoch has begun; no other is announced")
        .isEqualTo(-1);
  }

  @Test
  void theWriterMayComeBackOnlyWhenTheReaderHasSeenTheEpochEnd() {
    writer.epochs().begin(0);
    assertThat(writer.epochs().isOver()).isFalse();
    reader.epochs().begin();
    assertThat(writer.epochs().isOver()).isFalse();
    reader.endEpoch();
    assertThat(writer.epochs().isOver()).isTrue();
  }

  /** Nothing travels the other way, so no piggybacked credit tells either. */
  @Test
  void theEndOfAnEpochTellsTheWriterThatTheRingIsEmpty() throws Exception {
    writer.epochs().begin(0);
    reader.epochs().begin();
    assertThat(writer.write(ByteBuffer.allocate(100), () -> true)).isEqualTo(100);
    assertThat(reader.read(ByteBuffer.allocate(100))).isEqualTo(100);
    assertThat(writer.credit().isDrained()).as("less than a quarter was read").isFalse();
    reader.endEpoch();
    assertThat(writer.credit().isDrained()).isTrue();
  }

  @Test
  void everyOneOfManyEpochsIsAnnounced() {
    for (int epoch = 1; epoch <= 1_000; epoch++) {
      writer.epochs().begin(epoch);
      assertThat(reader.epochs().nextAt()).as("epoch %d", epoch).isEqualTo(epoch);
      reader.epochs().begin();
      reader.endEpoch();
      assertThat(writer.epochs().isOver()).as("epoch %d", epoch).isTrue();
    }
  }

  @Test
  void everyOneOfManyEpochsIsAnnouncedThoughNoRawByteWasEverSent() {
    for (int epoch = 1; epoch <= 300; epoch++) {
      writer.epochs().begin(0);
      assertThat(reader.epochs().nextAt()).as("epoch %d", epoch).isZero();
      reader.epochs().begin();
      reader.endEpoch();
    }
  }
}
