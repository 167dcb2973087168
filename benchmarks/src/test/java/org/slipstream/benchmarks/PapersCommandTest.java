package org.slipstream.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.benchmarks.papers.Paper;
import org.slipstream.benchmarks.plot.Drawing;
import picocli.CommandLine;

/** The papers' experiments: listed, and run by a stub in place of {@code ./slipstream}. */
class PapersCommandTest {
  private static final String SQL =
      """
      {"command":"servers databases","rows":[
      {"load":"H2, new client","carrier":"tcp","cores":2,"real_s":4,"client_user_s":3,"client_system_s":1},
      {"load":"H2, new client","carrier":"shm","cores":2,"real_s":3,"client_user_s":3,"client_system_s":0.5}]}
      """;

  private static final String TRIPS =
      """
      {"command":"pingpong","rows":[
      {"carrier":"guest-tcp","mode":"blocking","size":1,"p50_ns":130000,"per_second":8000},
      {"carrier":"guest-rdma","mode":"blocking","size":1,"p50_ns":25000,"per_second":40000},
      {"carrier":"tcp","mode":"blocking","size":1,"p50_ns":50000,"per_second":20000},
      {"carrier":"shm","mode":"blocking","size":1,"p50_ns":250,"per_second":4000000}]}
      """;

  private static final String STREAMS =
      """
      {"command":"stream","rows":[
      {"carrier":"tcp","mode":"blocking","size":64,"bytes_per_second":16000000,"per_second":250000}]}
      """;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path directory;

  @AfterEach
  void forget() {
    System.clearProperty("slipstream.command");
  }

  private int execute(String... args) {
    CommandLine commandLine = Main.commandLine();
    commandLine.setOut(new PrintWriter(out, true));
    commandLine.setErr(new PrintWriter(err, true));
    return commandLine.execute(args);
  }

  /** Writes rows where {@code --json} says, which are the second and the third word. */
  private void stub(String name, int code) throws IOException {
    Path script = directory.resolve("slipstream");
    Files.writeString(directory.resolve("pingpong.rows"), TRIPS);
    Files.writeString(directory.resolve("stream.rows"), STREAMS);
    Files.writeString(directory.resolve("servers.rows"), SQL);
    Files.writeString(
        script,
        """
        #!/bin/sh
        [ "$2" = --json ] || exit 9
        [ "$1" != %s ] || exit %d
        cp "${0%%/*}/$1.rows" "$3"
        """
            .formatted(name, code));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    System.setProperty("slipstream.command", script.toString());
  }

  @Test
  void eachExperimentIsListedWithItsClaimAndItsCommands() {
    assertThat(execute("papers")).isZero();
    assertThat(Paper.ALL).hasSize(7);
    for (Paper paper : Paper.ALL) {
      assertThat(out.toString().lines().filter(line -> line.startsWith(paper.name() + " ")))
          .hasSize(1)
          .first()
          .asString()
          .contains(paper.experiment());
      assertThat(out.toString()).contains(paper.claim()).contains(paper.state());
      assertThat(paper.commands()).isNotEmpty();
    }
    assertThat(out.toString())
        .contains("./slipstream pingpong --transport=ntb", "./slipstream stream --transport=rdma");
  }

  @Test
  void theDocumentHasTheSameExperiments() throws IOException {
    assertThat(Files.readAllLines(Path.of("../docs/PERFORMANCE.md")))
        .filteredOn(line -> line.matches("\\| `[a-z]+` \\| .*"))
        .extracting(line -> line.split("`", -1)[1])
        .isEqualTo(Paper.ALL.stream().map(Paper::name).toList());
  }

  @Test
  void aRunLeavesRowsAndADrawingAndComparesWithThePaper() throws Exception {
    stub("none", 0);
    Path results = directory.resolve("new/results");

    assertThat(execute("papers", "sql", "pingpong", "--directory=" + results)).isZero();

    assertThat(out.toString())
        .contains("The paper: 12.14 s become 7.69 s")
        .contains(
            "Here: H2, new client, 2 cores, real seconds: TCP 4.00, Slipstream 3.00, 0.75 times.")
        .contains(
            "Here: round trips per second of 1 B, shm: TCP 20,000, Slipstream 4,000,000, 200.00");
    assertThat(out.toString())
        .contains("of 1 B, guest-rdma: TCP 8,000, Slipstream 40,000, 5.00 times.");
    assertThat(results.resolve("sql.json")).exists();
    for (String transport : List.of("ntb", "rdma")) {
      assertThat(results.resolve("pingpong-pingpong-" + transport + ".json")).exists();
      assertThat(results.resolve("pingpong-stream-" + transport + ".json")).exists();
    }
    assertThat(Drawing.of(results.resolve("sql.svg")).isInside().barsAreAroundTheirLabels().marks())
        .contains("shm, client sys: 0.5 s", "tcp, real: 4 s")
        .as("the paper's figures")
        .contains("shm, real: 7.69 s", "tcp, client sys: 1.16 s");
    assertThat(Drawing.of(results.resolve("pingpong.svg")).isInside().texts("head"))
        .contains("Round trips", "Streams in one direction");
  }

  /** What a cache is worth is no merit of a carrier. */
  @Test
  void aJobWithAnAotCacheIsComparedWithTcpThatHasOne() throws Exception {
    stub("none", 0);
    Files.writeString(
        directory.resolve("servers.rows"),
        """
        {"command":"servers --only TeraSort hadoop","rows":[
        {"load":"TeraSort","carrier":"tcp","cores":2,"real_s":4,"start_s":0.2},
        {"load":"TeraSort","carrier":"shm","cores":2,"real_s":5,"start_s":1},
        {"load":"TeraSort","carrier":"tcp-aot","cores":2,"real_s":2},
        {"load":"TeraSort","carrier":"shm-aot","cores":2,"real_s":1}]}
        """);

    assertThat(execute("papers", "terasort", "--directory=" + directory.resolve("r"))).isZero();

    assertThat(out.toString().lines().filter(line -> line.startsWith("Here: ")))
        .containsExactly(
            "Here: TeraSort, 2 cores, real seconds: TCP 4.00, Slipstream 5.00, 1.25 times.",
            "Here: TeraSort, 2 cores, start seconds: TCP 0.20, Slipstream 1.00, 5.00 times.",
            "Here: TeraSort, 2 cores, with an AOT cache, real seconds: TCP 2.00, Slipstream 1.00,"
                + " 0.50 times.");
  }

  @Test
  void theWorstExitCodeOfACommandIsTheExitCode() throws Exception {
    stub("stream", 3);
    assertThat(execute("papers", "pingpong", "--directory=" + directory.resolve("r"))).isEqualTo(3);
    assertThat(directory.resolve("r/pingpong.svg")).as("of the other command").exists();

    stub("servers", 2);
    assertThat(execute("papers", "sql", "--directory=" + directory.resolve("r"))).isEqualTo(2);
    assertThat(out.toString()).contains("sql left no rows");
  }
}
