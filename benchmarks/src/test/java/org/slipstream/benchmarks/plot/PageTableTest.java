package org.slipstream.benchmarks.plot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rows of pages as a table: what a document shows is what the file holds. */
class PageTableTest {
  private static final Path ROOT = Path.of("..");

  @TempDir Path directory;

  private Path file(String command, String rows) throws IOException {
    Path file = directory.resolve("rows.json");
    Files.writeString(
        file,
        "{\"command\":\"%s\",\"date\":\"2026-11-23\",\"cores\":2,\"java\":\"25\",\"rows\":[%s]}"
            .formatted(command, rows));
    return file;
  }

  @Test
  void aLineHoldsAllServersInOneOrder() throws Exception {
    Path file =
        file(
            "pages --sizes=4k",
            """
            {"file":"cached","carrier":"tcp","serve":"transferTo","size":4096,"clients":8,"p50_ns":134335,
             "p99_ns":4292607,"per_second":28074,"server_cpu_ns":19931,"client_cpu_ns":24714,
             "per_server_core_times_sendfile":1.0,"p50_times_sendfile":1.0,"verified":true},
            {"file":"cached","carrier":"shm","serve":"transferTo","size":4096,"clients":8,"p50_ns":56447,
             "p99_ns":5009407,"per_second":33202,"server_cpu_ns":null,"client_cpu_ns":20311,
             "per_server_core_times_sendfile":1.8267,"p50_times_sendfile":0.4464,"verified":false},
            {"file":"direct","carrier":"shm","serve":"transferTo","size":1048576,"clients":1,"p50_ns":1000}
            """);
    assertThat(Plots.tables(List.of(file)))
        .startsWith(
            "`./slipstream pages --sizes=4k`, 2026-11-23, 2 cores, Java 25. Each cell: TCP with"
                + " transferTo / Slipstream with transferTo.",
            "")
        .endsWith(
            "|---|---|---|---|---|---|---|---|---|---|",
            "| cached | 4 KiB | 8 | 134 / 56.4! | 4,293 / 5,009 | 28,074 / 33,202 | 19.9 / –"
                + " | 24.7 / 20.3 | 1.00 / 1.83 | 1.00 / 0.45 |",
            "| direct | 1 MiB | 1 | – / 1 | – / – | – / – | – / – | – / – | – / – | – / – |");
  }

  @Test
  void anotherCommandIsRefusedInOneSentence() throws IOException {
    Path file = file("pingpong", "{\"size\":64}");
    assertThatThrownBy(() -> Plots.tables(List.of(file)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is of 'pingpong', which has no table");
  }

  /** After a new run: {@code ./slipstream plot --table docs/output/pages.json} into the page. */
  @Test
  void theDocumentShowsTheRunThatIsKept() throws IOException {
    assertThat(Files.readAllLines(ROOT.resolve("docs/PERFORMANCE.md")))
        .containsSequence(Plots.tables(List.of(ROOT.resolve("docs/output/pages.json"))));
  }
}
