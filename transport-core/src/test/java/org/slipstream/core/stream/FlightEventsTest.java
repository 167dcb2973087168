package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.events.FlightEvents;

/** What a recording says of one stream can be told from what it says of others. */
class FlightEventsTest {
  @TempDir Path directory;

  @Test
  void aClosedStreamHasTheAddressesThatItHad() throws Exception {
    Path file = directory.resolve("recording.jfr");
    int port;
    try (Recording recording = new Recording()) {
      recording.start();
      Bench bench = Bench.client();
      port = bench.wire.socket().getLocalPort();
      FlightEvents.opened(bench.stream);
      bench.close();
      FlightEvents.closed(bench.stream);
      recording.dump(file);
    }
    List<RecordedEvent> events =
        RecordingFile.readAllEvents(file).stream()
            .filter(e -> e.getEventType().getName().startsWith("org.slipstream."))
            .toList();
    assertThat(events.stream().map(e -> e.getEventType().getLabel()))
        .containsExactly("Stream Opened", "Stream Closed");
    assertThat(events).allMatch(e -> e.getString("remote").endsWith("127.0.0.1:" + port));
    assertThat(events.get(1).getString("local"))
        .isEqualTo(events.get(0).getString("local"))
        .contains("127.0.0.1:");
  }
}
