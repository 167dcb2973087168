package org.slipstream.benchmarks.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ReportTest {
  @Test
  void travelsAsOneLine() {
    Histogram histogram = Report.newHistogram();
    Report.record(histogram, 250, 3);
    Report.record(histogram, 90_000, 1);
    String line = new Report(4, 100_000, 9, histogram).toLine();
    assertThat(line).doesNotContain("\n");
    Report copy = Report.parse(line);
    assertThat(copy.count()).isEqualTo(4);
    assertThat(copy.nanos()).isEqualTo(100_000);
    assertThat(copy.exchanges()).isEqualTo(9);
    assertThat(copy.histogram()).isEqualTo(histogram);
  }

  @Test
  void cutsTimesToTheRangeOfTheHistogram() {
    Histogram histogram = Report.newHistogram();
    Report.record(histogram, 0, 1);
    Report.record(histogram, Long.MAX_VALUE, 1);
    assertThat(histogram.getTotalCount()).isEqualTo(2);
    assertThat(histogram.getMinValue()).isEqualTo(1);
  }

  @Test
  void refusesOtherLines() {
    assertThatThrownBy(() -> Report.parse("done")).hasMessage("'done' is not a result");
  }
}
