package org.slipstream.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.core.status.ProcessCounters;
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

  /**
   * Of any source.
   *
   * @param counters called for each meter of a scrape
   */
  public SlipstreamMetrics(Supplier<ProcessCounters> counters) {
    this.counters = counters;
  }

  private static @Nullable Supplier<ProcessCounters> ofThisProcess() {
    try {
      SlipstreamCore core = Installation.get().core();
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
    gauge(registry, source, "streams.open", "Open streams", ProcessCounters::streamsOpen);
    gauge(
        registry,
        source,
        "streams.linked",
        "Open streams that travel on a link both ways",
        ProcessCounters::streamsOnLink);
    count(registry, source, "streams.opened", "Streams opened", "", ProcessCounters::streamsOpened);
    count(registry, source, "links.joined", "Links joined", "", ProcessCounters::streamsJoined);
    count(registry, source, "failovers", "Links lost", "", ProcessCounters::failovers);
    count(registry, source, "offers.refused", "Offers refused", "", ProcessCounters::offersRefused);
    count(
        registry, source, "waits.slow", "Sleeps of 20 ms or more", "", ProcessCounters::slowWaits);
    String bytes = "Bytes moved";
    count(
        registry,
        source,
        "bytes",
        bytes,
        "carrier=link,direction=out",
        ProcessCounters::ringBytesOut);
    count(
        registry,
        source,
        "bytes",
        bytes,
        "carrier=link,direction=in",
        ProcessCounters::ringBytesIn);
    count(
        registry,
        source,
        "bytes",
        bytes,
        "carrier=tcp,direction=out",
        ProcessCounters::plainBytesOut);
    count(
        registry,
        source,
        "bytes",
        bytes,
        "carrier=tcp,direction=in",
        ProcessCounters::plainBytesIn);
    String messages = "Calls that moved bytes";
    count(registry, source, "messages", messages, "direction=out", ProcessCounters::messagesOut);
    count(registry, source, "messages", messages, "direction=in", ProcessCounters::messagesIn);
    count(registry, source, "waits", "Waits", "ended=spin", ProcessCounters::spins);
    count(registry, source, "waits", "Waits", "ended=wakeup", ProcessCounters::wakeUps);
  }

  private static void gauge(
      MeterRegistry registry,
      Supplier<ProcessCounters> source,
      String name,
      String description,
      ToLongFunction<ProcessCounters> value) {
    Gauge.builder("slipstream." + name, () -> value.applyAsLong(source.get()))
        .description(description)
        .register(registry);
  }

  private static void count(
      MeterRegistry registry,
      Supplier<ProcessCounters> source,
      String name,
      String description,
      String tags,
      ToLongFunction<ProcessCounters> value) {
    String[] words = tags.isEmpty() ? new String[0] : tags.split("[=,]", -1);
    FunctionCounter.builder("slipstream." + name, source, s -> (double) value.applyAsLong(s.get()))
        .description(description)
        .tags(words)
        .register(registry);
  }
}
