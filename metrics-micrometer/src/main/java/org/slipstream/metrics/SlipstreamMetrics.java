package org.slipstream.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.core.status.ProcessCounters;
import org.slipstream.core.stream.Total;
import org.slipstream.provider.nio.Installation;

/**
 * Binds what all streams of this process have done to a registry. Each scrape takes a snapshot; the
 * data path does not notice. Any thread.
 */
public final class SlipstreamMetrics implements MeterBinder {
  private final @Nullable Supplier<ProcessCounters> counters;

  /** Of the Slipstream of this process; binds nothing if there is none or if it is off. */
  public SlipstreamMetrics() {
    this.counters = ofThisProcess();
  }

  /** Of any source, which is called for each meter of a scrape. */
  SlipstreamMetrics(Supplier<ProcessCounters> counters) {
    this.counters = counters;
  }

  private static @Nullable Supplier<ProcessCounters> ofThisProcess() {
    try {
      SlipstreamCore core = Installation.get().unwrap(SlipstreamCore.class);
      return core == null ? null : core::counters;
    } catch (IllegalStateException | NoClassDefFoundError e) {
      return null; // the program was started without slipstream.jar
    }
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Supplier<ProcessCounters> source = counters;
    if (source == null) {
      return;
    }
    Total.ALL.forEach(total -> bind(registry, source, total));
  }

  private static void bind(MeterRegistry registry, Supplier<ProcessCounters> source, Total total) {
    String[] words = total.meter().split("[=,]", -1);
    String name = "slipstream." + words[0];
    String[] tags = Arrays.copyOfRange(words, 1, words.length);
    String help = total.counter().help();
    if (total.counter().isGauge()) {
      Gauge.builder(name, () -> source.get().get(total)).description(help).register(registry);
    } else {
      FunctionCounter.builder(name, source, s -> (double) s.get().get(total))
          .description(help)
          .tags(tags)
          .register(registry);
    }
  }
}
