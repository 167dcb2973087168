package org.slipstream.it.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.shm.ProcessInspector;

/** What the only process of a runtime directory says of itself, as {@code slipstream ps} asks. */
final class SessionDevices {
  /** Two sessions on one device: no number of streams. */
  private static final long TWO = -1_000_000;

  private SessionDevices() {}

  /** The device of each open session, with the streams that it carries. */
  static Map<String, Long> of(String directory) {
    Map<String, Long> streams = new TreeMap<>();
    for (String answer : ask(directory, "sessions")) {
      ProcessStatus.parse(answer).stream()
          .flatMap(process -> process.streams().stream())
          .filter(row -> row.text("state").equals("open"))
          .forEach(row -> streams.merge(row.text("device"), row.number("streams"), (a, b) -> TWO));
    }
    return streams;
  }

  /** Its streams. */
  static List<StreamLine> streams(String directory) {
    return StreamLine.parse(String.join(",", ask(directory, "streams")));
  }

  private static List<String> ask(String directory, String question) {
    try {
      return ProcessInspector.ask(directory, question);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
