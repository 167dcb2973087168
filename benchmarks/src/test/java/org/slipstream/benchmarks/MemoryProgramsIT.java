package org.slipstream.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.json.JSONObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.benchmarks.plot.Plots;
import picocli.CommandLine;

/**
 * The two programs over remote memory, streams and TCP, many clients and servers, reads and
 * reservations: processes of their own. A wrong output is exit code 1.
 */
class MemoryProgramsIT {
  private final StringWriter err = new StringWriter();

  @TempDir private Path directory;

  private List<JSONObject> rows(String... command) throws IOException {
    Path json = directory.resolve("rows.json");
    CommandLine commandLine = Main.commandLine();
    commandLine.setErr(new PrintWriter(err, true));
    commandLine.setOut(new PrintWriter(new StringWriter(), true));
    String[] all = Stream.concat(Stream.of("memory"), Stream.of(command)).toArray(String[]::new);
    int code = commandLine.execute(concat(all, "--rounds=1", "--json=" + json));
    assertThat(code).as("%s", err).isZero();
    Path svg = directory.resolve("rows.svg");
    Plots.draw(List.of(json), svg);
    assertThat(Files.readString(svg)).contains("One-sided memory");
    return Plots.rows(json);
  }

  private static String[] concat(String[] all, String... more) {
    return Stream.concat(Stream.of(all), Stream.of(more)).toArray(String[]::new);
  }

  /** Three do not divide the keys' range evenly, and are no power of two. */
  @Test
  void sortSorts() throws IOException {
    List<JSONObject> rows = rows("sort", "--workers=1,3", "--records=20000");
    assertThat(rows).hasSize(6).allMatch(row -> row.getDouble("run_ns") > 0);
  }

  @Test
  void pageRankRanks() throws IOException {
    List<JSONObject> rows = rows("pagerank", "--workers=1,3", "--vertices=1500");
    assertThat(rows).hasSize(6).allMatch(row -> row.getDouble("run_ns") > 0);
  }

  /** Sixteen edges for each vertex, between vertices of the graph. */
  @Test
  void theGraphIsThereForOthers() throws IOException {
    Path graph = directory.resolve("graph");
    rows("pagerank", "--workers=2", "--vertices=500", "--graph=" + graph);
    LongBuffer edges = ByteBuffer.wrap(Files.readAllBytes(graph)).asLongBuffer();
    assertThat(edges.remaining()).isEqualTo(16 * 2 * 500);
    while (edges.hasRemaining()) {
      long edge = edges.get();
      assertThat(edge >>> Integer.SIZE).isLessThan(1000);
      assertThat((int) edge).isBetween(0, 999);
    }
  }

  @Test
  void manyReadOneAndOneReadsMany() throws IOException {
    List<JSONObject> rows = rows("crowd", "--clients=1,4", "--servers=3", "--seconds=0.1");
    assertThat(rows).hasSize(9).allMatch(row -> row.getDouble("per_second") > 0);
  }

  /** It is the first of the clients and the first of the servers. */
  @Test
  void oneReaderOfOneServerIsMeasuredOnce() throws IOException {
    List<JSONObject> rows = rows("crowd", "--clients=1", "--servers=1", "--seconds=0.1");
    assertThat(rows).hasSize(3);
  }

  @Test
  void readsAndReservationsAreMeasured() throws IOException {
    List<JSONObject> rows = rows("bench", "--mebibytes=4", "--seconds=0.2");
    assertThat(rows).filteredOn(row -> row.has("way")).hasSize(12).allMatch(this::isMeasured);
    assertThat(rows)
        .filteredOn(row -> row.has("reservation"))
        .hasSize(2)
        .allMatch(this::isMeasured);
    assertThat(rows).filteredOn(row -> row.has("owner_cpu_percent")).hasSize(1);
  }

  private boolean isMeasured(JSONObject row) {
    return row.getDouble("each_ns") > 0;
  }
}
