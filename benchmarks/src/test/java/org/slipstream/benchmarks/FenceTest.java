package org.slipstream.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which commands of a page are neither run nor marked, and which marks are wrong. */
class FenceTest {
  private static final Map<String, String> SOURCES =
      Map.of(
          "TryIT", "/** Tries. */ tool(\"try\", \"--json\")",
          "MemoryIT", "run(\"memory\", \"serve\", \"--size=1m\")",
          "DemoIT", "/** {@code ./slipstream demo}, with the shortest parts. */",
          "NodesIT", "agent(\"ntb.hosts\", hosts)",
          "RecordingIT", "jfr(\"print\", file)",
          ".ci/run", "command=(./mvnw --batch-mode verify)");

  private static List<String> complaints(String... lines) {
    List<Fence> all = Fence.of("PAGE", String.join("\n", lines) + "\n");
    assertThat(all).hasSize(1);
    return all.getFirst()
        .complaints("./slipstream ps"::equals, name -> Optional.ofNullable(SOURCES.get(name)));
  }

  private static List<String> about(String mark, String command) {
    return complaints(mark, "```", command, "```");
  }

  @Test
  void aCommandThatIsNeitherRunNorMarkedIsNoticed() {
    assertThat(complaints("Text.", "```", "./slipstream try -- true   # twice", "```"))
        .containsExactly("PAGE: ./slipstream try -- true: is neither run nor marked");
    assertThat(complaints("```", "$ slipstream new --option", "what it prints", "```"))
        .containsExactly("PAGE: slipstream new --option: is neither run nor marked");
    assertThat(complaints("```", "$ anything else", "```")).hasSize(1);
    assertThat(complaints("```", "sudo dpkg -i slipstream.deb", "```")).hasSize(1);
    assertThat(about("<!-- run by TryIT -->", "./slipstream try -- true")).hasSize(1);
  }

  @Test
  void oneThatIsRunOrHasItsMarkIsNot() {
    assertThat(complaints("```", "./slipstream ps   # all streams", "```")).isEmpty();
    assertThat(about("<!-- not run: needs a device -->", "slipstream new")).isEmpty();
    assertThat(about("<!-- run by: TryIT -->", "./slipstream try -- true")).isEmpty();
    assertThat(about("<!-- run by: TryIT -->", "java -jar slipstream.jar try -- true")).isEmpty();
    assertThat(about("<!-- run by: MemoryIT -->", "slipstream memory serve --size 4g")).isEmpty();
    assertThat(about("<!-- run by: DemoIT -->", "./slipstream demo")).isEmpty();
    assertThat(about("<!-- run by: RecordingIT -->", "jfr print recording.jfr")).isEmpty();
    assertThat(about("<!-- run by: .ci/run -->", "./mvnw verify")).isEmpty();
    assertThat(
            about("  <!-- run by: NodesIT -->", "java -javaagent:slipstream.jar=ntb.hosts=hosts …"))
        .isEmpty();
  }

  @Test
  void aTestThatIsNotThereOrDoesNotRunItIsNoticed() {
    assertThat(about("<!-- run by: NoSuchIT -->", "./slipstream try -- true"))
        .containsExactly(
            "PAGE: ./slipstream try -- true: is neither run nor marked",
            "PAGE: the mark 'NoSuchIT' is for no command below");
    assertThat(about("<!-- run by: TryIT -->", "./slipstream attach PID")).hasSize(2);
    assertThat(about("<!-- run by: MemoryIT -->", "./slipstream memory sort")).hasSize(2);
    assertThat(about("<!-- run by: .ci/run -->", "./mvnw -Pquick verify")).hasSize(2);
    assertThat(about("<!-- run by: TryIT, DemoIT -->", "./slipstream try -- true"))
        .containsExactly("PAGE: the mark 'DemoIT' is for no command below");
  }

  @Test
  void aMarkThatIsNotNeededIsNoticed() {
    assertThat(about("<!-- not run: takes minutes -->", "./slipstream ps")).isNotEmpty();
    assertThat(about("<!-- run by: TryIT -->", "./slipstream ps")).hasSize(1);
  }

  @Test
  void aReasonForSomeCommandsNamesThem() {
    String[] block = {"```", "./slipstream ps", "./mvnw verify", "./slipstream new", "```"};
    assertThat(complaints(with(block, "<!-- not run: takes minutes -->")))
        .containsExactly("PAGE: the mark 'takes minutes' has to name those that are not run");
    assertThat(complaints(with(block, "<!-- not run (./mvnw): takes minutes -->")))
        .containsExactly("PAGE: ./slipstream new: is neither run nor marked");
    assertThat(complaints(with(block, "<!-- not run (./mvnw, ./slipstream new): why -->")))
        .isEmpty();
    assertThat(
            complaints(
                with(block, "<!-- run by: .ci/run -->\n<!-- not run (./slipstream new): why -->")))
        .isEmpty();
  }

  private static String[] with(String[] block, String mark) {
    String[] all = block.clone();
    all[0] = mark + "\n" + block[0];
    return all;
  }

  @Test
  void aLineBetweenCommandsThatIsNoneIsNoticed() {
    assertThat(complaints("```", "./slipstream ps", "mlnx_qos -i eth0", "```"))
        .containsExactly("PAGE: mlnx_qos -i eth0: is no command that is known");
    assertThat(complaints("```", "./slipstream ps \\", "", "# a remark", "```")).isEmpty();
  }

  @Test
  void whatShowsNoCommandIsNotLookedAt() {
    assertThat(Fence.of("PAGE", "```\nslipstream.rules=off\n```\n```xml\n<a/>\n```\n")).isEmpty();
  }
}
