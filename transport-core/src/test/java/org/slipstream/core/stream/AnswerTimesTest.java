package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AnswerTimesTest {
  private final AnswerTimes times = new AnswerTimes();
  private long now = 100;

  private long exchange(long took, boolean onRing) {
    times.asked(now);
    now += took;
    return times.answered(now, onRing);
  }

  private long window(long took, boolean onRing, int answers) {
    long last = -1;
    for (int i = 0; i < answers; i++) {
      assertThat(last).as("answer %d", i).isNegative();
      last = exchange(took, onRing);
    }
    return last;
  }

  @Test
  void theMedianOfManyAnswersIsOneMeasurement() {
    assertThat(window(1_000_000, true, AnswerTimes.SETTLING)).as("a new link settles").isNegative();
    assertThat(window(7, true, AnswerTimes.WINDOW / 2 - 1)).isNegative();
    assertThat(window(5000, true, AnswerTimes.WINDOW / 2 + 1)).isEqualTo(5000);
    assertThat(window(3, true, AnswerTimes.WINDOW)).isEqualTo(3);
  }

  @Test
  void aWindowIsOfOneCarrier() {
    window(9, true, AnswerTimes.SETTLING + AnswerTimes.WINDOW - 1);
    assertThat(window(2, false, AnswerTimes.SETTLING + AnswerTimes.WINDOW)).isEqualTo(2);
  }

  @Test
  void onlyTheFirstWriteAsksAndBytesThatWereNotAskedForAreNoAnswer() {
    for (int i = 0; i < 3 * AnswerTimes.WINDOW; i++) {
      assertThat(times.answered(now++, true)).isNegative();
    }
    window(1, true, AnswerTimes.SETTLING);
    long last = -1;
    for (int i = 0; i < AnswerTimes.WINDOW; i++) {
      times.asked(now);
      times.asked(now + 5);
      now += 10;
      last = times.answered(now, true);
    }
    assertThat(last).isEqualTo(10);
  }
}
