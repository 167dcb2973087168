package org.slipstream.benchmarks.netty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.TestDirectory;

/** Connections of Netty's epoll pass the agent by, and that is said. */
class NettyNativeIT {
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin/java").toString();
  private static final String JAR =
      Path.of(System.getProperty("slipstream.jar")).normalize().toString();
  private static final String LINE =
      "slipstream: SL006: Connections of Netty's epoll pass by and stay on TCP;"
          + " -Dio.netty.transport.noNative=true makes libraries take NIO that can";

  private TestDirectory directory;
  private Path errors;
  private Process program;

  @BeforeEach
  void makeDirectory() throws IOException {
    directory = TestDirectory.create();
    errors = directory.path().resolve("errors");
  }

  @AfterEach
  void end() throws Exception {
    if (program != null) {
      program.destroyForcibly().waitFor();
    }
    directory.close();
  }

  /** Starts the program, and returns what it has taken. */
  private String start(List<String> flags, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(JAVA, "-XX:+UseSerialGC", "-Xmx192m"));
    command.addAll(List.of("-javaagent:" + JAR, "-Dslipstream.dir=" + directory.path() + "/run"));
    command.addAll(flags);
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    String classPath =
        Arrays.stream(all.split(File.pathSeparator, -1))
            .filter(e -> e.contains("/io/netty/") || e.contains("benchmarks/target/test-classes"))
            .collect(Collectors.joining(File.pathSeparator));
    command.addAll(List.of("-cp", classPath, NettyNativeProgram.class.getName()));
    command.addAll(List.of(arguments));
    program = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    BufferedReader lines = program.inputReader(UTF_8);
    String line = lines.readLine();
    assertThat(line).as(Files.readString(errors)).isNotNull();
    return line.replaceFirst(" .*", "");
  }

  private List<String> said() throws IOException {
    return Files.readAllLines(errors).stream().filter(l -> l.startsWith("slipstream: ")).toList();
  }

  private String tool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(JAVA, "-XX:TieredStopAtLevel=1", "-jar", JAR));
    command.addAll(List.of(arguments));
    command.addAll(List.of("--dir", directory.path() + "/run"));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
    return text;
  }

  @Test
  void aProgramThatTakesEpollIsToldOnceAndToolsShowItsConnections() throws Exception {
    Path recording = directory.path().resolve("recording.jfr");
    List<String> flags =
        List.of("-XX:StartFlightRecording:filename=" + recording, "-Xlog:jfr*=off");
    assertThat(start(flags)).isEqualTo("epoll");
    Patience.await().untilAsserted(() -> assertThat(said()).containsExactly(LINE));

    String sentence =
        "Process "
            + program.pid()
            + ": "
            + 2 * NettyNativeProgram.CONNECTIONS
            + " TCP connections of Netty's epoll pass Slipstream by; -Dio.netty.transport.noNative";
    Patience.await().untilAsserted(() -> assertThat(tool("ps")).contains(sentence));
    assertThat(tool("ps", "--json"))
        .contains("\"nativeTransports\":\"Netty's epoll\",\"passedBy\":6,\"nativeAdvice\":\"-Dio.");
    assertThat(tool("doctor", "--no-exchange")).containsPattern("(?m)^netty +! " + sentence);
    assertThat(said()).as("once").containsExactly(LINE);

    program.getOutputStream().close();
    assertThat(program.waitFor(Patience.DEADLINE)).isTrue();
    List<RecordedEvent> events =
        RecordingFile.readAllEvents(recording).stream()
            .filter(e -> e.getEventType().getName().equals("org.slipstream.NativeTransport"))
            .toList();
    assertThat(events)
        .singleElement()
        .satisfies(e -> assertThat(e.getString("library")).isEqualTo("Netty's epoll"));
  }

  @Test
  void aProgramThatTakesNioIsToldNothing() throws Exception {
    assertThat(start(List.of("-Dio.netty.transport.noNative=true"))).isEqualTo("nio");
    Patience.await()
        .untilAsserted(() -> assertThat(tool("ps")).contains(Long.toString(program.pid())));
    assertThat(tool("ps")).doesNotContain("pass Slipstream by");
    assertThat(said()).isEmpty();
  }

  @Test
  void theSettingMakesNettyTakeNio() throws Exception {
    assertThat(start(List.of("-Dslipstream.netty=nio"))).isEqualTo("nio");
    assertThat(said()).isEmpty();
  }

  /** It asked whether there is one, and the library is loaded: no connection passes by. */
  @Test
  void aProgramThatOnlyAsksForEpollIsToldNothing() throws Exception {
    assertThat(start(List.of(), "asks-only")).isEqualTo("nio");
    Patience.await()
        .untilAsserted(() -> assertThat(tool("ps")).contains(Long.toString(program.pid())));
    assertThat(said()).isEmpty();
  }
}
