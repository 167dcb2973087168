package org.slipstream.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.slipstream.core.status.ProcessCounters;

/** The queries of {@code docs/grafana/slipstream.json} name meters that there are, and all. */
class DashboardTest {
  private static final Path DASHBOARD = Path.of("..", "docs", "grafana", "slipstream.json");

  /** A sample of a scrape: name, labels. */
  private static final Pattern SAMPLE =
      Pattern.compile("(?m)^(slipstream_\\w+)(?:\\{([^}]*)\\})? ");

  private static final Pattern EXPRESSION = Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final Pattern NAME = Pattern.compile("slipstream_\\w+");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=~?\"");
  private static final Pattern BY = Pattern.compile("by \\(([^)]*)\\)");

  /** Prometheus adds it to each sample that it scrapes. */
  private static final String INSTANCE = "instance";

  private static Map<String, Set<String>> labelsOfMeters() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    new SlipstreamMetrics(() -> ProcessCounters.of(total -> 1)).bindTo(registry);
    Map<String, Set<String>> labels = new HashMap<>();
    for (MatchResult sample : SAMPLE.matcher(registry.scrape()).results().toList()) {
      Set<String> its = labels.computeIfAbsent(sample.group(1), name -> new HashSet<>());
      if (sample.group(2) != null) {
        LABEL.matcher(sample.group(2)).results().forEach(label -> its.add(label.group(1)));
      }
    }
    return labels;
  }

  private static List<String> expressions() throws Exception {
    return EXPRESSION
        .matcher(Files.readString(DASHBOARD))
        .results()
        .map(expression -> expression.group(1).replace("\\\"", "\""))
        .toList();
  }

  @Test
  void eachQueryNamesMetersAndLabelsThatThereAre() throws Exception {
    Map<String, Set<String>> labels = labelsOfMeters();
    assertThat(expressions()).hasSizeGreaterThan(5);
    for (String expression : expressions()) {
      Set<String> known = new HashSet<>(Set.of(INSTANCE));
      List<String> names = NAME.matcher(expression).results().map(MatchResult::group).toList();
      assertThat(names).as(expression).isNotEmpty();
      for (String name : names) {
        assertThat(labels).as(expression).containsKey(name);
        known.addAll(labels.get(name));
      }
      assertThat(LABEL.matcher(expression).results().map(label -> label.group(1)))
          .as(expression)
          .isSubsetOf(known);
      for (MatchResult by : BY.matcher(expression).results().toList()) {
        assertThat(List.of(by.group(1).split(", *", -1))).as(expression).isSubsetOf(known);
      }
    }
  }

  @Test
  void eachMeterIsShown() throws Exception {
    String all = String.join("\n", expressions());
    assertThat(labelsOfMeters().keySet())
        .hasSizeGreaterThan(8)
        .allSatisfy(name -> assertThat(all).containsPattern(name + "\\b"));
  }
}
