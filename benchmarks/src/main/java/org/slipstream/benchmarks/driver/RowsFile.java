package org.slipstream.benchmarks.driver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.json.JSONObject;

/**
 * Where rows go for other programs, with what they have to know of the run.
 *
 * @param path is written anew
 * @param command the command line, without the names of files
 */
public record RowsFile(Path path, String command) {
  /** Writes rows, each a JSON object. */
  void write(Stream<String> rows) throws IOException {
    Files.writeString(path, text(rows));
  }

  String text(Stream<String> rows) {
    String head =
        "{\"command\":%s,\"date\":\"%s\",\"cores\":%d,\"java\":%s,\"rows\":[\n  "
            .formatted(
                JSONObject.quote(command),
                LocalDate.now(ZoneOffset.UTC),
                Runtime.getRuntime().availableProcessors(),
                JSONObject.quote(System.getProperty("java.version")));
    return rows.collect(Collectors.joining(",\n  ", head, "\n]}\n"));
  }
}
