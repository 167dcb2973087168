package org.slipstream.it.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The second run of a guest is one of the rows that failed, and tells of all. */
class SecondChanceTest {
  private static final List<String> ALL = List.of("org.a.OneRow", "org.a.OtherRow");
  private static final List<String> FIRST =
      List.of(
          "OneRow / first()\tpassed\t",
          "OneRow / second()\tfailed\twhy",
          "OtherRow / first()\tpassed\t");

  @Test
  void aGuestThatHasNotRunRunsAllRows() {
    SecondChance first = SecondChance.of("SecondChanceTest.new");
    assertThat(first.rows(ALL)).isEqualTo(ALL);
    assertThat(first.with(FIRST)).isEqualTo(FIRST);
  }

  @Test
  void onlyRowsThatFailedRunAgainAndResultsKeepTheirPlaces() {
    SecondChance.keep("SecondChanceTest.failed", FIRST);
    SecondChance second = SecondChance.of("SecondChanceTest.failed");
    assertThat(second.rows(ALL)).containsExactly("org.a.OneRow");
    assertThat(second.with(List.of("OneRow / second()\tpassed\t", "OneRow / first()\tfailed\tnow")))
        .containsExactly(
            "OneRow / first()\tfailed\tnow",
            "OneRow / second()\tpassed\t",
            "OtherRow / first()\tpassed\t");
  }

  /** It ended before its rows were over, or something else than a row failed. */
  @Test
  void aRunWithoutAFailedRowIsRepeatedAsAWhole() {
    SecondChance.keep("SecondChanceTest.ended", List.of());
    assertThat(SecondChance.of("SecondChanceTest.ended").rows(ALL)).isEqualTo(ALL);
    SecondChance.keep("SecondChanceTest.passed", FIRST.subList(0, 1));
    assertThat(SecondChance.of("SecondChanceTest.passed").rows(ALL)).isEqualTo(ALL);
  }
}
