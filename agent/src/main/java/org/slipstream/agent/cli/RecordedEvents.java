package org.slipstream.agent.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** The one class that needs the module {@code jdk.jfr}, which a runtime image may not have. */
final class RecordedEvents {
  private static final String OURS = "org.slipstream.";

  private RecordedEvents() {}

  /**
   * Reads a recording, event by event: it may be larger than memory. Ours are few, and are put in
   * order: the file has them thread by thread.
   */
  static RecordingSummary read(Path file) throws IOException {
    List<RecordedEvent> ours = new ArrayList<>();
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        RecordedEvent event = recording.readEvent();
        if (event.getEventType().getName().startsWith(OURS)) {
          ours.add(event);
        }
      }
    }
    ours.sort(Comparator.comparing(RecordedEvent::getEndTime));
    RecordingSummary summary = new RecordingSummary();
    ours.forEach(event -> add(summary, event));
    return summary;
  }

  private static void add(RecordingSummary summary, RecordedEvent event) {
    String stream = text(event, "role") + " " + text(event, "local") + " " + text(event, "remote");
    switch (event.getEventType().getName().substring(OURS.length())) {
      case "StreamOpened" -> summary.opened(stream);
      case "StreamCarrier" ->
          summary.carrier(
              stream, text(event, "carrier"), text(event, "reason"), text(event, "advice"));
      case "StreamClosed" ->
          summary.closed(stream, text(event, "carrier"), text(event, "reason"), numbers(event));
      case "Build" -> summary.build(text(event, "version"), text(event, "commit"));
      case "Failover" -> summary.failedOver(text(event, "carrier"));
      case "OfferRefused" -> summary.refused(text(event, "reason"), text(event, "advice"));
      case "SlowWait" ->
          summary.slept(
              text(event, "operation"),
              text(event, "carrier"),
              event.hasField("waited") ? event.getDuration("waited").toNanos() : 0);
      default -> {} // of a newer version
    }
  }

  private static String text(RecordedEvent event, String name) {
    String text = event.hasField(name) ? event.getString(name) : null;
    return text == null ? "" : text;
  }

  private static Map<String, Long> numbers(RecordedEvent event) {
    Map<String, Long> numbers = new HashMap<>();
    for (ValueDescriptor field : event.getFields()) {
      if (event.getValue(field.getName()) instanceof Long number) {
        numbers.put(field.getName(), number);
      }
    }
    return numbers;
  }
}
