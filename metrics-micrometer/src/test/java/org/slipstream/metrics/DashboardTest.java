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
import org.json.JSONObject;
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

  /** What Grafana needs to show it: none has been started for it. */
  @Test
  void itHasTheFormOfADashboard() throws Exception {
    JSONObject dashboard = new JSONObject(Files.readString(DASHBOARD));
    assertThat(dashboard.getString("title")).isNotBlank();
    assertThat(dashboard.getString("uid")).matches("[a-zA-Z0-9_-]{1,40}");
    assertThat(dashboard.getInt("schemaVersion")).isPositive();
    assertThat(dashboard.getJSONObject("time").keySet()).containsExactlyInAnyOrder("from", "to");
    Set<String> variables = new HashSet<>();
    for (Object each : dashboard.getJSONObject("templating").getJSONArray("list")) {
      JSONObject variable = (JSONObject) each;
      variables.add(variable.getString("name"));
      assertThat(variable.getString("type"))
          .isEqualTo(variable.getString("name").equals("source") ? "datasource" : "query");
    }
    assertThat(variables).containsExactlyInAnyOrder("source", "instance");
    Set<Integer> ids = new HashSet<>();
    Set<String> places = new HashSet<>();
    for (Object each : dashboard.getJSONArray("panels")) {
      JSONObject panel = (JSONObject) each;
      String title = panel.getString("title");
      assertThat(title).isNotBlank();
      assertThat(ids.add(panel.getInt("id"))).as("another panel has the id of %s", title).isTrue();
      assertThat(panel.getString("type")).as(title).isEqualTo("timeseries");
      JSONObject place = panel.getJSONObject("gridPos");
      assertThat(place.getInt("x") + place.getInt("w")).as(title).isBetween(1, 24);
      assertThat(places.add(place.getInt("x") + "," + place.getInt("y"))).as(title).isTrue();
      assertThat(panel.getJSONArray("targets")).as(title).isNotEmpty();
      Set<String> references = new HashSet<>();
      for (Object query : panel.getJSONArray("targets")) {
        JSONObject target = (JSONObject) query;
        assertThat(target.getString("expr")).as(title).contains("$instance");
        assertThat(references.add(target.getString("refId"))).as(title).isTrue();
        assertThat(target.getJSONObject("datasource").getString("uid")).isEqualTo("${source}");
        assertThat(target.getJSONObject("datasource").getString("type")).isEqualTo("prometheus");
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
