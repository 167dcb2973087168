package org.slipstream.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The server of pages and its clients, in processes of their own, with the agent. */
class PagesIT {
  private static final List<String> SERVERS =
      List.of("tcp transferTo", "tcp read", "shm transferTo", "shm read");

  private final StringWriter err = new StringWriter();

  /** The exit code says that each row on Slipstream was on the ring. */
  @ParameterizedTest
  @ValueSource(strings = {"cached", "direct"})
  void everyByteComesAsItIsInTheFile(String file, @TempDir Path directory) throws IOException {
    Path json = directory.resolve("rows.json");

    int code = pages(directory, json, "--file=" + file, "--sizes=4k,32k", "--clients=5");

    assertThat(code).as("%s", err).isZero();
    List<String> rows = rows(json);
    if (rows.isEmpty() && file.equals("direct")) {
      assertThat(err.toString()).contains("refuses O_DIRECT");
    } else {
      assertThat(rows)
          .hasSize(2 * SERVERS.size())
          .allMatch(row -> row.contains("\"verified\":true"));
    }
  }

  /** Answers that are longer than a ring: those that are cut go on as they began. */
  @Test
  void answersThatAreCutGoOn(@TempDir Path directory) throws IOException {
    Path json = directory.resolve("rows.json");

    int code = pages(directory, json, "--file=cached", "--sizes=1m", "--clients=3");

    // A ring that stays full overflows to TCP, which is another carrier and no mistake.
    assertThat(code).as("%s", err).isIn(0, 3);
    assertThat(rows(json)).hasSize(SERVERS.size());
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).as("the file is deleted").containsExactly(json);
    }
  }

  private int pages(Path directory, Path json, String... options) {
    CommandLine commandLine = Main.commandLine();
    commandLine.setErr(new PrintWriter(err, true));
    commandLine.setOut(new PrintWriter(new StringWriter(), true));
    String[] all =
        Stream.concat(
                Stream.of(
                    "pages",
                    "--check",
                    "--no-pin",
                    "--directory=" + directory,
                    "--file-size=8m",
                    "--seconds=0.4",
                    "--rounds=2",
                    "--warmup=0.3",
                    "--json=" + json),
                Stream.of(options))
            .toArray(String[]::new);
    return commandLine.execute(all);
  }

  private static List<String> rows(Path json) throws IOException {
    try (Stream<String> lines = Files.lines(json)) {
      return lines.filter(line -> line.contains("server_cpu_ns")).toList();
    }
  }
}
