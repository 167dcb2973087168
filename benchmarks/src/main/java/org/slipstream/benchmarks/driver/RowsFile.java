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
  /**
   * Writes rows.
   *
   * @param rows each a JSON object
   * @throws IOException if the file can not be written
   */
  public void write(Stream<String> rows) throws IOException {
    write(rows, LocalDate.now(ZoneOffset.UTC));
  }

  /**
   * Writes rows that were measured earlier.
   *
   * @param rows each a JSON object
   * @param measured the day
   * @throws IOException if the file can not be written
   */
  public void write(Stream<String> rows, LocalDate measured) throws IOException {
    Files.writeString(path, text(rows, measured));
  }

  String text(Stream<String> rows) {
    return text(rows, LocalDate.now(ZoneOffset.UTC));
  }

  private String text(Stream<String> rows, LocalDate measured) {
    String head =
        "{\"command\":%s,\"date\":\"%s\",\"cores\":%d,\"java\":%s,\"rows\":[\n  "
            .formatted(
                JSONObject.quote(command),
                measured,
                Runtime.getRuntime().availableProcessors(),
                JSONObject.quote(System.getProperty("java.version")));
    return rows.collect(Collectors.joining(",\n  ", head, "\n]}\n"));
  }
}
