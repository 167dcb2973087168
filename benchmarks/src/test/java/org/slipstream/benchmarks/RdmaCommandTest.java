package org.slipstream.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.json.JSONArray;
import org.json.JSONObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.benchmarks.plot.Drawing;
import picocli.CommandLine;

/** What runs in the virtual machine printed, of which copies are in docs/output. */
class RdmaCommandTest {
  private static final Path OUTPUT = Path.of("../docs/output");

  private final StringWriter err = new StringWriter();

  @TempDir Path directory;

  private int execute(String... args) {
    CommandLine commandLine = Main.commandLine();
    commandLine.setOut(new PrintWriter(new StringWriter(), true));
    commandLine.setErr(new PrintWriter(err, true));
    return commandLine.execute(args);
  }

  @Test
  void theTablesOfARunBecomeRowsAndADrawing() throws Exception {
    Path json = directory.resolve("pvfs.json");
    String shapes = "--text=" + OUTPUT.resolve("rdma-shapes.txt");
    String peers = "--text=" + OUTPUT.resolve("rdma-peers.txt");

    assertThat(execute("rdma", shapes, peers, "--json=" + json)).as("%s", err).isZero();

    assertThat(new JSONObject(Files.readString(json)).getString("date")).isEqualTo("2026-11-22");
    JSONArray rows = new JSONObject(Files.readString(json)).getJSONArray("rows");
    assertThat(rows.length()).isEqualTo(6 * 3 + 5 * 2 + 5 + 2 * 3 + 9);
    assertThat(rows.toString()).as("no paths of this machine").doesNotContain("..");
    Path svg = directory.resolve("pvfs.svg");
    assertThat(execute("plot", json.toString(), "-o", svg.toString())).as("%s", err).isZero();
    assertThat(Drawing.of(svg).isInside().barsAreAroundTheirLabels().marks())
        .contains("inline, 8 B: 32 (29 to 44) µs", "staged, 64 KiB: 159 (67 to 161) MiB/s")
        .contains("registered: cache, 80 % of it used before: 1,605 (1,581 to 1,629) µs");
  }

  @Test
  void aTextWithoutATableIsRefused() throws IOException {
    Path text = Files.writeString(directory.resolve("other.txt"), "something else\n");
    assertThat(execute("rdma", "--text=" + text)).isEqualTo(2);
    assertThat(err.toString()).contains("no table");
  }
}
