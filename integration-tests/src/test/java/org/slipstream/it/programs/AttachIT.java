package org.slipstream.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.process.StreamLine;
import org.slipstream.it.programs.Launches.Program;
import org.slipstream.testkit.Patience;

/** {@code slipstream attach}: programs that run already, without Slipstream. */
class AttachIT {
  private static final String OLD = "What was open before stays on TCP";

  @RegisterExtension final Launches launches = new Launches();

  /** How a tool ended, and what it printed. */
  private record Said(int code, String text) {}

  private Said tool(String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(Launches.JAVA, "-XX:TieredStopAtLevel=1", "-jar", "" + Launches.AGENT));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
    return new Said(process.exitValue(), text);
  }

  private Said attach(Program program) throws Exception {
    return tool("attach", "--set", "dir=" + launches.directory(), "" + program.process().pid());
  }

  private Program start(String... flags) throws Exception {
    Program program = launches.start(List.of(flags), AttachedProgram.class);
    program.await("ready");
    return program;
  }

  private static String ask(Program program, String command, String answer) throws Exception {
    program.tell(command);
    return program.await(answer);
  }

  private void awaitTheRing(int streams) {
    Patience.await()
        .untilAsserted(
            () -> assertThat(launches.ps()).hasSize(streams).allMatch(StreamLine::onRing));
  }

  @Test
  void whatTwoProgramsOpenFromThenOnLeavesTcp() throws Exception {
    Program server = start();
    Program client = start();
    for (Program program : List.of(server, client)) {
      Said said = attach(program);
      assertThat(said.code()).as(said.text()).isZero();
      assertThat(said.text())
          .startsWith(
              "process " + program.process().pid() + " upgrades what it opens from now on:\n")
          .contains("  Socket, ServerSocket: new ones can leave TCP\n")
          .contains("  SocketChannel, ServerSocketChannel, Selector: new ones can leave TCP\n")
          .contains("AsynchronousServerSocketChannel: new ones can leave TCP\n")
          .contains(OLD);
    }
    ask(client, "talk " + ask(server, "listen", "port"), "talked");
    awaitTheRing(2);
    String channel = ask(client, "channel " + ask(server, "listen", "port"), "channel");
    assertThat(channel).startsWith("org.slipstream.");

    Said off = tool("off", "--all", "--dir", "" + launches.directory());
    assertThat(off.text().lines()).hasSize(2).allMatch(line -> line.endsWith(" is off"));
    Patience.await()
        .untilAsserted(() -> assertThat(launches.ps()).hasSize(2).noneMatch(StreamLine::onRing));
    client.end();
    server.end();
  }

  @Test
  void afterAnAttachOffAndOnHoldForAllAndRulesForSome() throws Exception {
    Path rules = launches.home().resolve("rules");
    Program server = start();
    Program client = start();
    for (Program program : List.of(server, client)) {
      Said said =
          tool(
              "attach",
              "--set",
              "dir=" + launches.directory(),
              "--set",
              "rules.file=" + rules,
              "" + program.process().pid());
      assertThat(said.code()).as(said.text()).isZero();
    }
    String some = ask(server, "listen", "port");
    String others = ask(server, "listen", "port");
    ask(client, "talk " + some, "talked");
    ask(client, "talk " + others, "talked");
    awaitTheRing(4);

    Files.writeString(rules, "off port " + some + "\n");
    Patience.await()
        .untilAsserted(() ->
            assertThat(launches.ps())
                .hasSize(4)
                .allMatch(stream -> stream.onRing() == !stream.name().contains(":" + some)));

    String pid = "" + client.process().pid();
    Said off = tool("off", pid, "--dir", "" + launches.directory());
    assertThat(off).isEqualTo(new Said(0, "process " + pid + " is off\n"));
    Patience.await()
        .untilAsserted(() -> assertThat(launches.ps()).hasSize(4).noneMatch(StreamLine::onRing));
    ask(client, "talk " + others, "talked");
    assertThat(launches.ps()).noneMatch(StreamLine::onRing);

    Said on = tool("on", pid, "--dir", "" + launches.directory());
    assertThat(on).isEqualTo(new Said(0, "process " + pid + " is on\n"));
    String talked = ask(client, "talk " + others, "talked");
    Patience.await()
        .untilAsserted(() ->
            assertThat(launches.ps())
                .filteredOn(StreamLine::onRing)
                .hasSize(2)
                .allMatch(stream -> stream.name().contains(":" + talked)));
    client.end();
    server.end();
  }

  /** Before it has a stream. */
  @Test
  void whatAnAttachHasSwitchedOnIsFoundAtOnce() throws Exception {
    Program program = start();
    String pid = "" + program.process().pid();
    assertThat(attach(program).code()).isZero();
    assertThat(tool("off", pid, "--dir", "" + launches.directory()))
        .isEqualTo(new Said(0, "process " + pid + " is off\n"));
    program.end();
  }

  /** The JVM's own lines, which the documents quote. */
  @Test
  void theJvmWarnsOnceUnlessTheProgramAllowsIt() throws Exception {
    Program warned = start();
    Program allowed = start("-XX:+EnableDynamicAgentLoading");
    assertThat(attach(warned).code()).isZero();
    assertThat(attach(allowed).code()).isZero();
    warned.end();
    allowed.end();
    assertThat(warned.said().lines().map(line -> line.replaceFirst("attach-\\d+", "attach-N")))
        .containsExactly(
            "WARNING: A Java agent has been loaded dynamically (/tmp/slipstream-attach-N.jar)",
            "WARNING: If a serviceability tool is in use, please run with"
                + " -XX:+EnableDynamicAgentLoading to hide this warning",
            "WARNING: If a serviceability tool is not in use, please run with"
                + " -Djdk.instrument.traceUsage for more information",
            "WARNING: Dynamic loading of agents will be disallowed by default in a future release");
    assertThat(allowed.said()).isEmpty();
    try (Stream<Path> left = Files.list(Path.of("/tmp"))) {
      String name = warned.said().replaceFirst("(?s).*\\(/tmp/(\\S+)\\).*", "$1");
      assertThat(left).doesNotContain(Path.of("/tmp", name));
    }
  }

  /** The jar on its class path and the one that is attached have one set of classes. */
  @Test
  void aProgramThatHasTheProviderByThePropertyGetsTheRestFromTheSameClasses() throws Exception {
    String provider = "org.slipstream.provider.nio.SlipstreamSelectorProvider";
    Program program =
        launches.java(
            List.of(
                "-Dslipstream.dir=" + launches.directory(),
                "-Djava.nio.channels.spi.SelectorProvider=" + provider,
                "-cp",
                Launches.classPath() + File.pathSeparator + Launches.AGENT,
                AttachedProgram.class.getName()));
    program.await("ready");
    assertThat(ask(program, "channel " + ask(program, "listen", "port"), "channel"))
        .startsWith("org.slipstream.");
    Said said = attach(program);
    assertThat(said.code()).as(said.text()).isZero();
    assertThat(said.text())
        .contains("  Socket, ServerSocket: new ones can leave TCP\n")
        .contains("  SocketChannel, ServerSocketChannel, Selector: new ones can leave TCP\n");
    program.end();
  }

  /** Also with a server socket that makes the accepted socket itself, which is one of ours then. */
  @Test
  void listenersThatWereOpenGoOnAcceptingOverTcp() throws Exception {
    Program server = start();
    Program client = start();
    String old = ask(server, "listen", "port");
    String own = ask(server, "listen-own", "port");
    ask(client, "talk " + old, "talked"); // both have accepted once before
    ask(client, "talk " + own, "talked");
    assertThat(attach(server).code()).isZero();
    for (int i = 0; i < 2; i++) { // the first of each was waiting in accept
      ask(client, "talk " + old, "talked");
      ask(client, "talk " + own, "talked");
    }
    assertThat(launches.ps()).isEmpty();

    assertThat(attach(client).code()).isZero();
    ask(client, "talk " + ask(server, "listen-own", "port"), "talked");
    awaitTheRing(2);
    client.end();
    server.end();
    assertThat(server.said()).doesNotContain("accepting failed");
  }

  @Test
  void channelsOfAProgramThatHasUsedSomeStayOnTcpAndItsSocketsDoNot() throws Exception {
    Program server = start();
    Program client = start();
    assertThat(ask(client, "channel " + ask(server, "listen", "port"), "channel"))
        .startsWith("sun.nio.ch.");
    Said said = attach(client);
    assertThat(said.code()).isZero();
    assertThat(said.text())
        .contains("  Socket, ServerSocket: new ones can leave TCP\n")
        .contains("Selector: stay on TCP, because the program has opened a channel");
    assertThat(attach(server).code()).isZero();
    String port = ask(server, "listen", "port");
    assertThat(ask(client, "channel " + port, "channel")).startsWith("sun.nio.ch.");
    ask(client, "talk " + port, "talked");
    awaitTheRing(2);
    client.end();
    server.end();
  }

  @Test
  void whatCanNotBeDoneIsOneLineAndTheCode1() throws Exception {
    Program program = start();
    assertThat(attach(program).code()).isZero();
    long pid = program.process().pid();
    assertThat(attach(program))
        .isEqualTo(
            new Said(
                1,
                "process "
                    + pid
                    + " stays as it was: Slipstream runs in it already, or has failed to start"
                    + " there\n"));
    Program disallowed = start("-XX:-EnableDynamicAgentLoading");
    assertOneLine(attach(disallowed), "stays as it was: it does not load the agent: ");
    Program switchedOff = start("-Dslipstream.enabled=false");
    assertOneLine(attach(switchedOff), "stays as it was: it has slipstream.enabled=false");
    Program wrong = start("-Dslipstream.rnig.size=64k");
    Said said = attach(wrong);
    assertOneLine(said, "stays as it was: it can not be started there: ");
    assertThat(said.text()).contains("slipstream.rnig.size");
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    assertOneLine(tool("attach", "" + ended.pid()), "stays as it was: it can not be attached to: ");
  }

  private static void assertOneLine(Said said, String part) {
    assertThat(said.text().lines()).singleElement().asString().contains(part);
    assertThat(said.code()).as(said.text()).isEqualTo(1);
  }

  @Test
  void aWrongCommandLineHasTheCode2() throws Exception {
    assertThat(tool("attach").code()).isEqualTo(2);
    assertThat(tool("attach", "abc").text()).contains("'abc' is no process id");
    assertThat(tool("attach", "--set", "word", "5").text()).contains("is not KEY=VALUE");
    assertThat(tool("attach", "--set", "word", "5").code()).isEqualTo(2);
  }
}
