package org.slipstream.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;
import org.slipstream.core.status.ProcessCounters;
import org.slipstream.core.stream.Total;

class SlipstreamMetricsTest {
  /** Each has the number of its place. */
  private static final ProcessCounters COUNTERS =
      ProcessCounters.of(total -> 1 + Total.ALL.indexOf(total));

  @Test
  void aScrapeShowsEveryCounter() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    new SlipstreamMetrics(() -> COUNTERS).bindTo(registry);

    assertThat(registry.scrape())
        .contains(
            "slipstream_streams_opened_total 1.0",
            "slipstream_streams_open 2.0",
            "slipstream_streams_linked 3.0",
            "slipstream_links_joined_total 4.0",
            "slipstream_bytes_total{carrier=\"link\",direction=\"out\"} 5.0",
            "slipstream_bytes_total{carrier=\"link\",direction=\"in\"} 6.0",
            "slipstream_bytes_total{carrier=\"tcp\",direction=\"out\"} 7.0",
            "slipstream_bytes_total{carrier=\"tcp\",direction=\"in\"} 8.0",
            "slipstream_messages_total{direction=\"out\"} 9.0",
            "slipstream_messages_total{direction=\"in\"} 10.0",
            "slipstream_waits_total{ended=\"spin\"} 11.0",
            "slipstream_spins_missed_total 12.0",
            "slipstream_waits_total{ended=\"wakeup\"} 13.0",
            "slipstream_failovers_total 14.0",
            "slipstream_returns_total 15.0",
            "slipstream_sessions_opened_total 16.0",
            "slipstream_sessions_open 17.0",
            "slipstream_sessions_ended_total 18.0",
            "slipstream_sessions_pinned 19.0",
            "slipstream_sessions_queued 20.0",
            "slipstream_sessions_queue_full_total 21.0",
            "slipstream_sessions_completions_total 22.0",
            "slipstream_offers_refused_total 23.0",
            "slipstream_waits_slow_total 24.0");
  }

  /** The installation of this JVM is on, and has no streams. */
  @Test
  void theCountersOfThisProcessAreTheDefault() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();

    new SlipstreamMetrics().bindTo(registry);

    assertThat(registry.get("slipstream.streams.open").gauge().value()).isZero();
  }
}
