package org.slipstream.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.slipstream.benchmarks.programs.Mode;
import org.slipstream.benchmarks.programs.Report;

class SummaryTest {
  private static Plan plan(Exercise exercise) {
    return new Plan(
        exercise,
        Mode.BLOCKING,
        List.of(Carrier.TCP, Carrier.SHM),
        List.of(64),
        3,
        300,
        0,
        0,
        1,
        0,
        1,
        1,
        0,
        false,
        null,
        List.of());
  }

  private static Round round(long nanos, double perSecond) {
    Histogram histogram = Report.newHistogram();
    histogram.recordValueWithCount(nanos, 100);
    return new Round(histogram, perSecond, 1_000_000, 100);
  }

  private static Map<Carrier, List<Round>> rounds() {
    Map<Carrier, List<Round>> rounds = new EnumMap<>(Carrier.class);
    rounds.put(Carrier.TCP, List.of(round(10_000, 1), round(90_000, 3), round(20_000, 2)));
    rounds.put(Carrier.SHM, List.of(round(1000, 10), round(3000, 90), round(1000, 20)));
    return rounds;
  }

  @Test
  void comparesNeighboursInTime() {
    List<Row> rows = new Summary(plan(Exercise.PING_PONG)).rows(64, rounds(), Map.of());
    Row shm = rows.get(1);
    assertThat(shm.carrier()).isEqualTo(Carrier.SHM);
    assertThat(shm.p50()).isCloseTo(1000, within(1.0));
    assertThat(shm.toTcp()).as("of 10, 30 and 20").isCloseTo(20, within(0.1));
    assertThat(shm.toRaw()).isNaN();
    assertThat(shm.perSecond()).isEqualTo(20);
    assertThat(shm.bytesPerSecond()).isEqualTo(1280);
    assertThat(shm.cpuNanos()).isEqualTo(10_000);
    assertThat(shm.p99()).isGreaterThanOrEqualTo(shm.p50());
  }

  @Test
  void comparesRatesOfStreams() {
    List<Row> rows = new Summary(plan(Exercise.STREAM)).rows(64, rounds(), Map.of());
    assertThat(rows.get(1).toTcp()).as("of 10, 30 and 10").isEqualTo(10);
  }

  @Test
  void writesTheRowsAsJson() {
    List<Row> rows =
        new Summary(plan(Exercise.PING_PONG)).rows(64, rounds(), Map.of(Carrier.SHM, "plain"));
    String member = "\"\\w+\":(\"[a-z]+\"|-?[0-9.]+|true|false|null)";
    String row = "\\{" + member + "(," + member + ")+}";
    RowsFile file = new RowsFile(Path.of("rows.json"), "pingpong --sizes 64");
    assertThat(file.text(rows.stream().map(JsonReport::object)))
        .startsWith("{\"command\":\"pingpong --sizes 64\",\"date\":\"")
        .matches("\\{[^\\[]+\"rows\":\\[\n  " + row + "(,\n  " + row + ")*\n]}\n")
        .contains("{\"carrier\":\"tcp\",\"mode\":\"blocking\",\"size\":64,\"p50_ns\":20")
        .contains("\"carrier\":\"shm\"")
        .contains("\"rounds\":3")
        .contains("\"verified\":true")
        .contains("\"verified\":false");
  }
}
