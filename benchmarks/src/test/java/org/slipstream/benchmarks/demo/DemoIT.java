package org.slipstream.benchmarks.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.Patience;

/**
 * {@code ./slipstream demo}, with the shortest parts: real processes, and a server that is killed.
 */
class DemoIT {
  private static final Path JAR = Path.of(System.getProperty("slipstream.jar")).normalize();
  private static final double SHORTEST_S = 0.5;

  @Test
  void theStreamLeavesTcpAndComesBackAndNothingIsLost(@TempDir Path directory) throws Exception {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    Screen screen = new Screen(new PrintStream(said, true, StandardCharsets.UTF_8), true);

    List<String> summary =
        Demo.play(JAR.toAbsolutePath(), screen, SHORTEST_S, (double) Patience.LONG.toSeconds());

    assertThat(summary).hasSize(7);
    assertThat(summary.get(0)).containsPattern("^  TCP +tcp +[0-9,]+ requests/s");
    assertThat(summary.get(1)).contains("shared memory  shm ");
    assertThat(summary.get(2)).contains("switched off   tcp ");
    assertThat(summary.get(3)).contains("switched on    shm ");
    assertThat(summary.get(4)).contains("new server     tcp ");
    assertThat(summary.get(5)).contains(" requests, each answered once, with what was sent;");
    assertThat(said.toString(StandardCharsets.UTF_8))
        .contains("$ slipstream off --all", "$ kill -9 ", summary.get(5))
        .doesNotContain("\u001b");

    Path svg = directory.resolve("demo.svg");
    Demo.record(screen, svg);
    assertThat(Files.size(svg)).isBetween(1_000L, 200_000L);
    DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(svg.toFile());
  }
}
