package org.slipstream.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.programs.Launches.Program;
import org.slipstream.testkit.Patience;

/** {@code slipstream try}: programs that it runs off and on, and what it says about them. */
class TryIT {
  @RegisterExtension final Launches launches = new Launches();

  /** How it ended. */
  private record Said(int code, String out, String err) {}

  private String program(String... arguments) throws Exception {
    return Launches.JAVA
        + " -XX:TieredStopAtLevel=1 -cp "
        + Launches.classes()
        + " "
        + TriedProgram.class.getName()
        + " "
        + String.join(" ", arguments);
  }

  private Said attempt(List<String> options, String command) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of("-jar", Launches.AGENT.toString(), "try", "--dir", "" + launches.directory()));
    all.addAll(options);
    if (!command.isEmpty()) {
      all.add("--");
      all.addAll(List.of(command.split(" ", -1)));
    }
    Program tool = launches.java(all);
    String out = new String(tool.process().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(tool.process().waitFor(Patience.DEADLINE)).isTrue();
    return new Said(tool.process().exitValue(), out, tool.said());
  }

  @Test
  void aServerAndAClientRunBothWaysAndThePageSaysWhatWasCarried() throws Exception {
    String port = launches.home().resolve("port").toString();
    Said said = attempt(List.of("--server", program("server", port)), program("client", port));
    assertThat(said.code()).as(said.toString()).isZero();
    assertThat(said.out())
        .containsPattern("ran for +[1-9][0-9.]* s +[1-9][0-9.]* s")
        .containsPattern("CPU in the programs +[0-9.]+ s +[0-9.]+ s")
        .containsPattern("voluntary context switches +[1-9][0-9,]* +[1-9][0-9,]*\n")
        .containsPattern("ended +with 0 +with 0")
        .contains("Carried, of 2 processes")
        .containsPattern("\n  shm +2 streams +[1-9][0-9.]* [kM]B\n")
        .containsPattern("\n  tcp +0 streams ")
        .doesNotContain("Stayed on TCP", "the server listens", "server ended");
    assertThat(said.err().lines().filter(line -> line.equals("the server listens"))).hasSize(2);
    assertThat(said.err().lines().filter(line -> line.equals("the client has talked"))).hasSize(2);
    assertThat(said.err()).contains("slipstream try: without", "slipstream try: with Slipstream");
  }

  @Test
  void whatStaysOnTcpIsGroupedByItsReason() throws Exception {
    String port = launches.home().resolve("port").toString();
    Program server =
        launches.java(
            List.of("-cp", "" + Launches.classes(), TriedProgram.class.getName(), "server", port));
    Patience.await().until(() -> Files.exists(Path.of(port)));
    Said said = attempt(List.of("--json"), program("client", port));
    assertThat(said.code()).as(said.toString()).isZero();
    assertThat(said.out().lines()).hasSize(1);
    assertThat(said.out())
        .contains("\"processes\":1,\"carriers\":[{\"name\":\"tcp\",\"streams\":1,")
        .contains("\"reasons\":[{\"name\":\"PEER_NOT_ACCELERATED: the peer does not run");
    assertThat(server.process().isAlive()).as("what it did not start, it does not end").isTrue();
  }

  @Test
  void whatFailsWithoutSlipstreamIsNotRunWithIt() throws Exception {
    Said said = attempt(List.of(), program("fail"));
    assertThat(said.code()).isEqualTo(1);
    assertThat(said.out()).contains("It fails without Slipstream").containsPattern("ended +with 7");
    assertThat(said.err()).doesNotContain("slipstream try: with Slipstream");
  }

  @Test
  void whatFailsWithSlipstreamOnlyHasACodeOfItsOwn() throws Exception {
    Said said = attempt(List.of(), program("fail-on"));
    assertThat(said.code()).as(said.toString()).isEqualTo(3);
    assertThat(said.out())
        .contains("It fails with Slipstream only")
        .containsPattern("with 0 +with 7");
  }

  @Test
  void aServerIsEndedWithAllThatItHasStarted() throws Exception {
    Path pids = launches.home().resolve("pids");
    Said said =
        attempt(List.of("--server", program("family", pids.toString())), program("nothing"));
    assertThat(said.code()).as(said.toString()).isZero();
    List<String> all = List.of(Files.readString(pids).strip().split("\\s", -1));
    assertThat(all).as("a program and its child, off and on").hasSize(4);
    for (String pid : all) {
      assertThat(ProcessHandle.of(Long.parseLong(pid))).as(pid).isEmpty();
    }
  }

  @Test
  void afterItsTimeAProgramIsEnded() throws Exception {
    Said said = attempt(List.of("--seconds=0.5"), "sleep 3600");
    assertThat(said.code()).as(said.toString()).isZero();
    assertThat(said.out()).containsPattern("ended +by try +by try").contains("No process of it");
  }

  @Test
  void whenItIsEndedItsProgramsAreToo() throws Exception {
    Program tool =
        launches.java(List.of("-jar", Launches.AGENT.toString(), "try", "--", "sleep", "3600"));
    Patience.await().until(() -> tool.process().children().findAny().isPresent());
    ProcessHandle sleep = tool.process().children().findAny().orElseThrow();
    tool.process().destroy();
    assertThat(tool.process().waitFor(Patience.DEADLINE)).isTrue();
    Patience.await().until(() -> !sleep.isAlive());
  }

  @Test
  void whatCanNotBeStartedOrDoesNotListenIsOneSentence() throws Exception {
    Said missing = attempt(List.of(), "/no/such/program");
    assertThat(missing.code()).isEqualTo(1);
    assertThat(missing.err()).contains("slipstream: SL040: try: ").contains("/no/such/program");
    Said silent = attempt(List.of("--server", "exit 9"), program("fail"));
    assertThat(silent.code()).isEqualTo(1);
    assertThat(silent.err()).contains("SL040: try: the server ended with 9 before it listened");
  }

  @Test
  void aWrongCommandLineHasTheCode2() throws Exception {
    assertThat(attempt(List.of(), "").code()).isEqualTo(2);
    Said said = attempt(List.of("--seconds=0"), "true");
    assertThat(said.code()).isEqualTo(2);
    assertThat(said.err()).contains("--seconds needs a number above 0");
    assertThat(attempt(List.of("--server="), "true").code()).isEqualTo(2);
  }
}
