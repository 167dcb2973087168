package org.slipstream.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.process.StreamLine;
import org.slipstream.it.programs.Launches.Program;
import org.slipstream.testkit.Patience;

/** Programs that use {@code java.net.Socket}, switched on in all the ways in which they start. */
class AgentIT {
  private static final String MAIN = SocketProgram.class.getName();

  @RegisterExtension final Launches launches = new Launches();

  /** How a test starts one end. */
  @FunctionalInterface
  private interface Launch {
    Program start(String... args) throws Exception;
  }

  private Launch classPath(List<String> flags) {
    return args -> launches.start(flags, SocketProgram.class, args);
  }

  private Launch with(List<String> flags, String... rest) {
    return args -> {
      List<String> all = new ArrayList<>(flags);
      all.addAll(List.of(rest));
      all.addAll(List.of(args));
      return launches.java(all);
    };
  }

  private record Talk(Program server, Program client) {
    void end() throws Exception {
      client.end();
      server.end();
    }

    String said() throws Exception {
      return client.said() + server.said();
    }
  }

  private Talk talk(Launch launch) throws Exception {
    Program server = launch.start("server");
    Program client = launch.start("client", server.await("ready"));
    client.await("done");
    return new Talk(server, client);
  }

  private void assertOnTheRing(Launch launch) throws Exception {
    Talk talk = talk(launch);
    awaitRing();
    talk.end();
    assertThat(talk.said()).doesNotContain("Slipstream", "slipstream: ");
  }

  private void awaitRing() {
    Patience.await()
        .untilAsserted(() -> {
          List<StreamLine> streams = launches.ps();
          assertThat(streams).hasSize(2).allMatch(StreamLine::onRing);
          assertThat(streams)
              .allSatisfy(s -> assertThat(s.ringIn()).isGreaterThan(100_000))
              .allSatisfy(s -> assertThat(s.ringOut()).isGreaterThan(100_000));
        });
  }

  @Test
  void onTheClassPath() throws Exception {
    assertOnTheRing(classPath(launches.agent()));
  }

  @Test
  void asAJar() throws Exception {
    String jar =
        Jars.write(launches.home().resolve("program.jar"), "", Map.of("Main-Class", MAIN))
            .toString();
    assertOnTheRing(with(launches.agent(), "-jar", jar));
  }

  @Test
  void asANamedModule() throws Exception {
    String jar =
        Jars.write(launches.home().resolve("program.jar"), "some.program", Map.of()).toString();
    assertOnTheRing(with(launches.agent(), "-p", jar, "-m", "some.program/" + MAIN));
  }

  @Test
  void asAnAutomaticModule() throws Exception {
    String jar =
        Jars.write(
                launches.home().resolve("program.jar"),
                "",
                Map.of("Automatic-Module-Name", "some.program"))
            .toString();
    assertOnTheRing(with(launches.agent(), "-p", jar, "-m", "some.program/" + MAIN));
  }

  @Test
  void byTheEnvironment() throws Exception {
    assertOnTheRing(args -> {
      List<String> command =
          new ArrayList<>(
              List.of(Launches.JAVA, "-XX:TieredStopAtLevel=1", "-cp", Launches.classPath(), MAIN));
      command.addAll(List.of(args));
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().put("JAVA_TOOL_OPTIONS", String.join(" ", launches.agent()));
      return launches.launch(builder);
    });
  }

  @Test
  void withAnotherAgentBeforeOurs() throws Exception {
    String other = agent(OtherAgent.class);
    List<String> before = new ArrayList<>(List.of(other));
    before.addAll(launches.agent());
    assertOnTheRing(classPath(before));
  }

  @Test
  void withAnotherAgentBehindOurs() throws Exception {
    List<String> behind = new ArrayList<>(launches.agent());
    behind.add(agent(OtherAgent.class));
    assertOnTheRing(classPath(behind));
  }

  /** The flag for an agent of these tests. */
  private String agent(Class<?> premain) throws Exception {
    Path jar = launches.home().resolve("other.jar");
    return "-javaagent:" + Jars.write(jar, "", Map.of("Premain-Class", premain.getName()));
  }

  @Test
  void onAJdkWithOtherInternalsSocketsAreTheJdksOwnAndOneLineSaysSo() throws Exception {
    List<String> flags = new ArrayList<>(List.of(agent(OtherJdkAgent.class)));
    flags.addAll(launches.agent());
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Program program =
          launches.start(
              flags, FirstConnect.class, "socket", Integer.toString(server.getLocalPort()));
      program.await("connected");
      program.end();
      assertThat(program.said().lines()).hasSize(1);
      assertThat(program.said())
          .startsWith("slipstream: SL009: java.net sockets stay plain TCP: ")
          .contains("SelChAway");
    }
  }

  @Test
  void switchedOffItIsPlainAndSilent() throws Exception {
    List<String> off = new ArrayList<>(launches.agent());
    off.add("-Dslipstream.enabled=false");
    Talk talk = talk(classPath(off));
    assertThat(launches.directory()).doesNotExist();
    talk.end();
    assertThat(talk.said()).isEmpty();
  }

  /** The classes of Slipstream that a JVM has loaded when a program ends that uses sockets. */
  private List<String> loaded(List<String> flags) throws Exception {
    List<String> all = new ArrayList<>(flags);
    all.add("-Xlog:class+load:stderr:none");
    Talk talk = talk(classPath(all));
    talk.end();
    return talk.client()
        .said()
        .lines()
        .map(line -> line.replaceFirst(" source:.*", "").strip())
        .filter(name -> name.startsWith("org.slipstream.") && !name.startsWith("org.slipstream.it"))
        .toList();
  }

  @Test
  void switchedOffItLoadsNothingButItsEntry() throws Exception {
    String entry = "org.slipstream.agent.launch.AgentLauncher";
    List<String> off = new ArrayList<>(launches.agent());
    off.add("-Dslipstream.enabled=false");
    assertThat(loaded(off)).containsExactly(entry);
    assertThat(loaded(List.of("-javaagent:" + Launches.AGENT + "=enabled=false")))
        .containsExactly(entry);
    assertThat(loaded(launches.agent())).contains(entry).hasSizeGreaterThan(50);
  }

  @Test
  void namedTwiceItIsOnOnceAndSilent() throws Exception {
    List<String> twice = new ArrayList<>(launches.agent());
    twice.addAll(launches.agent());
    assertOnTheRing(classPath(twice));
  }

  /** As with {@code JAVA_TOOL_OPTIONS} and a command line: each argument holds, the first first. */
  @Test
  void theArgumentsOfBothHoldAndTheFirstOfTwoWins() throws Exception {
    List<String> twice = new ArrayList<>(launches.agent());
    twice.set(0, "-javaagent:" + Launches.AGENT + "=transports=shm,ring.size=64k");
    twice.add("-javaagent:" + Launches.AGENT + "=ring.size=nonsense,spin.max=20");
    assertOnTheRing(classPath(twice));
  }

  @Test
  void anEndThatIsSwitchedOffTalksToOneThatIsNot() throws Exception {
    Program server = launches.start(launches.agent(), SocketProgram.class, "server");
    Program client =
        launches.start(List.of(), SocketProgram.class, "client", server.await("ready"));
    client.await("done");
    assertThat(launches.ps())
        .hasSize(1)
        .noneMatch(StreamLine::onRing)
        .allMatch(s -> s.plainIn() >= 600_000 && s.ringBytes() == 0);
    client.end();
    server.end();
  }

  @Test
  void theFactoryOfTheProgramGoesFirst() throws Exception {
    Program server = launches.start(launches.agent(), SocketProgram.class, "server");
    Program client =
        launches.start(
            launches.agent(), SocketProgram.class, "client", server.await("ready"), "factory");
    assertThat(client.await("factory")).isEqualTo("set");
    client.process().waitFor();
    Patience.await()
        .untilAsserted(() ->
            assertThat(client.said())
                .contains("Slipstream leaves java.net sockets alone")
                .contains("the program's own factory"));
    server.end();
  }

  @Test
  void whatIsWrongAtTheStartIsOneLineAndPlainSockets() throws Exception {
    List<String> wrong = new ArrayList<>(launches.agent());
    wrong.add("-Dslipstream.no.such.setting=1");
    Talk talk = talk(classPath(wrong));
    talk.end();
    for (Program end : List.of(talk.client(), talk.server())) {
      assertThat(end.said().lines()).hasSize(1);
      assertThat(end.said()).contains("Slipstream");
    }
  }
}
