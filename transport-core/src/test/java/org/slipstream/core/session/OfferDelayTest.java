package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long streams are held, by what became of those before them. */
class OfferDelayTest {
  private static final int MOST = 8;

  private final OfferDelay delay = new OfferDelay(MOST);

  private int after(int worthwhile, int wasted) {
    return after(worthwhile, 0, wasted);
  }

  private int after(int worthwhile, int late, int wasted) {
    delay.learn(worthwhile, late, wasted);
    return delay.ticks();
  }

  @Test
  void itBeginsWithTheFirst() {
    assertThat(delay.ticks()).isEqualTo(1);
    assertThat(delay.isNone()).isFalse();
    assertThat(after(1, 0)).as("streams that live on can wait").isEqualTo(1);
  }

  /** A hundred requests, and the server closes: in ten milliseconds most of them are over. */
  @Test
  void thereIsNoneWhereStreamsDoMuchBeforeTheyAreOffered() {
    after(0, 1);
    assertThat(after(0, 1, 0)).isEqualTo(1);
    assertThat(after(1, 1, 1)).isZero();
    assertThat(delay.isNone()).isTrue();
    assertThat(after(5, 0, 0)).as("nor behind it, while they are worth it").isZero();
    assertThat(after(1, 1, 2)).as("half and half").isZero();
    assertThat(after(0, 0, 1)).as("they were not").isEqualTo(1);
    assertThat(after(0, 0, 1)).isEqualTo(2);
  }

  @Test
  void muchIsWhatAnOfferCostsAndWhatIsOverBeforeItIsAccepted() {
    assertThat(OfferDelay.isMuch(OfferDelay.WORTHWHILE_MESSAGES)).isFalse();
    assertThat(OfferDelay.isMuch(200)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "true, 0, 0, WORTHWHILE", // a pool's, which is quiet
    "true, 500, 1000, WORTHWHILE", // it will be on the ring for long
    "false, 10, 137, WASTED",
    "false, 10, 138, WORTHWHILE",
    "false, 200, 500, WORTHWHILE", // a block of a file
    "false, 200, 200, LATE", // a hundred requests
    "false, 159, 159, WASTED",
    "false, 160, 160, LATE",
  })
  void whatAStreamTeaches(boolean open, long before, long messages, OfferDelay.Lesson lesson) {
    assertThat(OfferDelay.lesson(open, before, messages)).isEqualTo(lesson);
  }

  @Test
  void itDoublesUpToTheMost() {
    assertThat(after(0, 1)).isEqualTo(2);
    assertThat(after(0, 100)).as("in one step, however many").isEqualTo(4);
    assertThat(after(2, 3)).isEqualTo(8);
    assertThat(after(0, 1)).isEqualTo(MOST);
  }

  @Test
  void itComesBackInTheSameSteps() {
    for (int i = 0; i < 5; i++) {
      after(0, 1);
    }
    assertThat(after(1, 0)).isEqualTo(4);
    assertThat(after(3, 2)).isEqualTo(2);
    assertThat(after(1, 0)).isEqualTo(1);
    assertThat(after(1, 0)).isEqualTo(1);
  }

  @Test
  void halfAndHalfTeachesNothing() {
    after(0, 1);
    assertThat(after(5, 5)).isEqualTo(2);
    assertThat(after(0, 0)).isEqualTo(2);
  }

  @Test
  void aProcessMayBeToldNotToLearn() {
    OfferDelay fixed = new OfferDelay(0);
    fixed.learn(0, 0, 9);
    assertThat(fixed.ticks()).isEqualTo(1);
  }
}
