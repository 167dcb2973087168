package org.slipstream.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.it.guest.FabricKitFiles;
import org.slipstream.testkit.Patience;

/**
 * The hardware kit with both ends on this host, over shared memory, and a command in place of
 * {@code ssh} that runs here what it should run there.
 */
class FabricKitIT {
  private static final Path SCRIPT =
      Path.of("..", "config", "fabric-kit").toAbsolutePath().normalize();

  private static final String LOOPBACK = "127.0.0.1";

  @TempDir static Path kit;
  @TempDir Path temp;
  @RegisterExtension final Children children = new Children();

  @BeforeAll
  static void makeTheFiles() throws Exception {
    FabricKitFiles.write(kit);
  }

  private record Said(int code, String text) {}

  private Process start(String... options) throws IOException {
    List<String> command = new ArrayList<>(List.of(SCRIPT.toString()));
    command.addAll(List.of(options));
    ProcessBuilder builder = new ProcessBuilder(command).directory(temp.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("SLIPSTREAM_KIT_FLAGS", "-Dslipstream.kit.cut=2");
    return builder.redirectErrorStream(true).start();
  }

  private static Said end(Process process, String before) throws Exception {
    try {
      String text = before + new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor(Patience.LONG)).isTrue();
      return new Said(process.exitValue(), text);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private List<String> options(String... more) {
    List<String> options = new ArrayList<>(List.of(LOOPBACK, "--kit", kit.toString()));
    options.addAll(List.of("--here", LOOPBACK, "--directory", temp.resolve("there").toString()));
    options.addAll(List.of("--set", "dir=" + children.directory(), "--output", "kit.tar.gz"));
    options.addAll(List.of(more));
    return options;
  }

  private String ssh() throws IOException {
    Path ssh = temp.resolve("ssh");
    Files.writeString(ssh, "#!/bin/sh\nshift\nexec sh -c \"$*\"\n");
    assertThat(ssh.toFile().setExecutable(true)).isTrue();
    return ssh.toString();
  }

  /** A file of the archive. */
  private String file(String name) throws Exception {
    String path = "fabric-kit-" + LOOPBACK + "/" + name;
    Process tar =
        new ProcessBuilder("tar", "-xzOf", temp.resolve("kit.tar.gz").toString(), path)
            .redirectErrorStream(true)
            .start();
    String text = new String(tar.getInputStream().readAllBytes(), UTF_8);
    assertThat(tar.waitFor()).as(text).isZero();
    return text;
  }

  @Test
  void everyStepRunsAndTheArchiveHasWhatEachSaid() throws Exception {
    List<String> options =
        options("--ssh", ssh(), "--minutes", "0", "--seconds", "0.1", "--group", "Readiness");
    Said said = end(start(options.toArray(String[]::new)), "");
    assertThat(said.text())
        .contains("fabric-kit: copying the kit to 127.0.0.1:" + temp.resolve("there"))
        .containsPattern("(?m)^fabric-kit: \\d\\d:\\d\\d:\\d\\d suite-shm \\.\\.\\.$")
        .contains("fabric-kit: attach this to a report: " + temp.resolve("kit.tar.gz"));
    assertThat(said.code()).as(said.text()).isZero();
    assertThat(file("SUMMARY.txt"))
        .containsPattern("(?m)^facts-here +passed in ")
        .containsPattern("(?m)^doctor-there +passed in ")
        .containsPattern("(?m)^fabric-from-here +passed in ")
        .containsPattern("(?m)^fabric-from-there +passed in ")
        .containsPattern("(?m)^transports +shm$")
        .containsPattern("(?m)^suite-shm +passed in ")
        .containsPattern("(?m)^traffic-shm +passed in ")
        .doesNotContain("FAILED");
    assertThat(file("facts-there.txt")).contains("== uname -a").contains("== rdma link");
    assertThat(file("doctor-here.txt")).containsPattern("(?m)^verdict ");
    assertThat(file("fabric-from-there.txt")).contains("\"name\":\"shm\",\"state\":\"CARRIES\"");
    assertThat(file("suite-shm.txt"))
        .containsPattern("fabric-kit: [1-9]\\d* passed, \\d+ skipped, 0 failed");
    assertThat(file("traffic-shm.txt"))
        .contains("fabric-kit: 3 passed, 1 skipped, 0 failed")
        .containsPattern("-- [1-9]\\d{4,} bytes there and back, compared")
        .containsPattern("-- the other process was killed: (eof|reset|broken) ")
        .contains("no device was named that may be taken down (--link)");
  }

  @Test
  void aStepThatFailsIsNamedAndTheCodeIs1() throws Exception {
    List<String> options = options("--ssh", ssh(), "--only", "suite", "--group", "NoSuchGroup");
    options.addAll(List.of("--transport", "shm"));
    Said said = end(start(options.toArray(String[]::new)), "");
    assertThat(said.code()).as(said.text()).isEqualTo(1);
    assertThat(file("SUMMARY.txt")).containsPattern("(?m)^suite-shm +FAILED with 1 after ");
    assertThat(file("suite-shm.txt")).contains("fabric-kit: no test has run");
  }

  /** The operator does there what is said here. */
  @Test
  void withoutSshTheOtherHostWaitsAtAPort() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName(LOOPBACK))) {
      port = free.getLocalPort();
    }
    List<String> options = options("--by-hand", Integer.toString(port), "--only", "traffic");
    options.addAll(List.of("--transport", "shm", "--minutes", "0"));
    Process script = start(options.toArray(String[]::new));
    Process there = null;
    try {
      StringBuilder before = new StringBuilder();
      BufferedReader lines = script.inputReader(UTF_8);
      String listen = "";
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        before.append(line).append('\n');
        if (line.contains("fabric-kit-host listen ")) {
          listen = line.replaceFirst("^fabric-kit: +3\\. ", "");
          break;
        }
      }
      assertThat(listen).as("%s", before).isNotEmpty();
      run("mkdir", "-p", temp.resolve("there").toString());
      run(
          "tar",
          "-C",
          temp.resolve("there").toString(),
          "-xzf",
          temp.resolve("fabric-kit-files.tar.gz").toString());
      ProcessBuilder other = new ProcessBuilder(listen.split(" ", -1));
      other.environment().put("JAVA_HOME", System.getProperty("java.home"));
      other.redirectErrorStream(true).redirectOutput(temp.resolve("listen.txt").toFile());
      there = other.start();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        before.append(line).append('\n');
      }
      assertThat(script.waitFor(Patience.LONG)).isTrue();
      assertThat(script.exitValue()).as("%s", before).isZero();
      assertThat(file("traffic-shm.txt")).contains("fabric-kit: 3 passed, 1 skipped, 0 failed");
      assertThat(Files.readString(temp.resolve("listen.txt"))).contains("fabric-kit: peer");
      refused(port, "wrong-token facts\n");
      refused(port, "");
    } finally {
      for (Process process : there == null ? List.of(script) : List.of(script, there)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    }
  }

  /** What has no token gets no word. */
  private static void refused(int port, String words) throws IOException {
    try (java.net.Socket socket = new java.net.Socket(LOOPBACK, port)) {
      socket.getOutputStream().write(words.getBytes(UTF_8));
      socket.shutdownOutput();
      assertThat(socket.getInputStream().readAllBytes()).isEmpty();
    }
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(text).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "                         | 2 | name the other host",
        "host --minutes soon      | 2 | --minutes needs a whole number",
        "host --transport tcp     | 2 | --transport names 'tcp'; known are rdma, ntb, shm",
        "host --only everything   | 2 | --only names 'everything'",
        "host --set key           | 2 | --set needs KEY=VALUE",
        "host --link              | 2 | --link needs a value",
        "host --link a;b          | 2 | --link can not be 'a;b'",
        "one two                  | 2 | one other host is needed, and 'two' is not it",
        "host --no-such-option    | 2 | there is no option --no-such-option",
        "no-such-host.invalid     | 3 | no-such-host.invalid has no address here",
        "127.0.0.1 --kit /nowhere | 3 | /nowhere has no fabric-kit-host",
        "--help                   | 0 | Usage: config/fabric-kit"
      })
  void theCommandLineIsChecked(String arguments, int code, String sentence) throws Exception {
    String[] words = arguments == null ? new String[0] : arguments.split(" +", -1);
    Said said = end(start(words), "");
    assertThat(said.text()).contains(sentence);
    assertThat(said.code()).as(said.text()).isEqualTo(code);
  }

  @Test
  void aHostThatIsNotReachedHasTheCode3() throws Exception {
    Said said =
        end(start(options("--ssh", "false", "--transport", "shm").toArray(String[]::new)), "");
    assertThat(said.text()).contains("127.0.0.1 does not take the kit");
    assertThat(said.code()).as(said.text()).isEqualTo(3);
  }
}
