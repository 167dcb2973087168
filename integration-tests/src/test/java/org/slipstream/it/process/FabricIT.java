package org.slipstream.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.it.process.Tool.Said;
import org.slipstream.testkit.Patience;

/**
 * {@code slipstream fabric} with both ends on this host; between two hosts it is in {@link
 * RdmaGuestsRow}.
 */
class FabricIT {
  private static final String LOOPBACK = "127.0.0.1";

  @RegisterExtension final Children children = new Children();

  private List<String> check(int port, String... options) {
    List<String> arguments = new ArrayList<>(List.of("fabric", LOOPBACK, "--seconds", "0.1"));
    arguments.addAll(List.of("--port", Integer.toString(port)));
    arguments.addAll(List.of("--set", "dir=" + children.directory()));
    arguments.addAll(List.of(options));
    return arguments;
  }

  private Said run(int port, String... options) throws Exception {
    return Tool.run(List.of(), check(port, options).toArray(String[]::new));
  }

  @Test
  void onOneHostSharedMemoryJoinsTheTwoEnds() throws Exception {
    try (FabricServe server = FabricServe.start(children.directory(), "--bind", LOOPBACK)) {
      Said said = run(server.port());
      assertThat(said.text())
          .containsPattern("(?m)^here +host \\S+, slipstream \\S+, java .*, memlock ")
          .containsPattern("(?m)^there +host ")
          .containsPattern("(?m)^tcp +64 bytes +median +[0-9.]+ µs +p99 +[0-9.]+ µs")
          .containsPattern("(?m)^shm +64 bytes +median +[0-9.]+ µs +p99 +[0-9.]+ µs")
          .containsPattern("(?m)^ +1024 bytes +median")
          .containsPattern("(?m)^ +65536 bytes +median")
          .containsPattern("(?m)^ +one way +[0-9.]+ MB/s")
          .containsPattern("(?m)^tcp +reaches 127.0.0.1:")
          .containsPattern("(?m)^shm +carries both directions: 64 bytes there and back in ")
          .containsPattern("(?m)^rdma +not (available|for this): ")
          .containsPattern("(?m)^ntb +not available: ")
          .containsPattern("(?m)^verdict +shm joins the two ends$");
      assertThat(said.code()).as(said.text()).isZero();
      assertThat(server.said())
          .anyMatch(line -> line.endsWith(" checks"))
          .anyMatch(line -> line.endsWith(" has ended its check"));

      Said json = run(server.port(), "--json"); // one client after the other
      assertThat(json.text().lines().filter(line -> line.startsWith("{")))
          .singleElement()
          .asString()
          .contains("\"code\":0")
          .containsPattern(
              "\"name\":\"shm\",\"state\":\"CARRIES\",.*\"bytes\":64,\"medianNanos\":[1-9]")
          .containsPattern("\"bytesPerSecond\":[1-9]")
          .endsWith("}");
      assertThat(json.code()).isZero();
    }
  }

  /** Two nodes of the loopback SISCI library, which share nothing else. */
  @Test
  void betweenTwoNodesNtbJoinsTheTwoEnds() throws Exception {
    Nodes nodes = new Nodes(children, "loopback", "direct");
    List<String> options = new ArrayList<>(nodes.fabricSettings(8));
    options.addAll(List.of("--bind", Nodes.address(8)));
    try (FabricServe server = FabricServe.startBehind(nodes.environment(8), options)) {
      List<String> arguments = new ArrayList<>(List.of("fabric", Nodes.address(8)));
      arguments.addAll(List.of("--port", Integer.toString(server.port()), "--seconds", "0.2"));
      arguments.addAll(nodes.fabricSettings(4));
      Said said = Tool.runBehind(nodes.environment(4), List.of(), arguments.toArray(String[]::new));
      assertThat(said.text())
          .containsPattern("(?m)^  ntb +SISCI API version .*adapter 0 is node 4")
          .containsPattern("(?m)^  ntb +SISCI API version .*adapter 0 is node 8")
          .containsPattern("(?m)^ntb +64 bytes +median +[0-9.]+ µs")
          .containsPattern("(?m)^ntb +carries both directions: ")
          .containsPattern("(?m)^shm +not available: not here: switched off")
          .containsPattern("(?m)^verdict +ntb joins the two ends$");
      assertThat(said.code()).as(said.text()).isZero();
    }
  }

  /** Two programs of SISCI's, in whose place scripts are that say who ran them. */
  @Test
  void programsOfOthersRunBetweenTheTwoEndsWhereBothAllowIt() throws Exception {
    Nodes nodes = new Nodes(children, "loopback", "direct");
    Path bin = Files.createDirectory(children.home().resolve("bin"));
    script(
        bin.resolve("scipp"),
        """
        #!/bin/sh
        echo "$@" >>%1$s/scipp-$1
        [ $1 = -client ] && echo 'Average 0.7 us' && exit
        exec sleep 1000
        """
            .formatted(children.home()));
    script(bin.resolve("scibench2"), "#!/bin/sh\necho no such node\nexit 1\n");
    List<String> serving = new ArrayList<>(nodes.fabricSettings(8));
    serving.addAll(List.of("--bind", Nodes.address(8), "--beside"));
    try (FabricServe server = FabricServe.startBehind(behind(bin, nodes, 8), serving)) {
      List<String> check = new ArrayList<>(List.of("fabric", Nodes.address(8), "--beside"));
      check.addAll(List.of("--port", Integer.toString(server.port()), "--seconds", "0.1"));
      check.addAll(nodes.fabricSettings(4));
      Said said = Tool.runBehind(behind(bin, nodes, 4), List.of(), check.toArray(String[]::new));
      assertThat(said.text())
          .containsPattern("(?m)^beside +scipp -client -rn 8: Average 0.7 us$")
          .containsPattern(
              "(?m)^beside +scibench2 -client -rn 8: failed: not there: it ended at once: no such"
                  + " node$");
      assertThat(said.code()).as(said.text()).isZero();
      assertThat(children.home().resolve("scipp--server")).hasContent("-server -rn 4");
      check.add("--json");
      assertThat(
              Tool.runBehind(behind(bin, nodes, 4), List.of(), check.toArray(String[]::new)).text())
          .contains(
              "\"measured\":[{\"command\":\"scipp -client -rn 8\",\"passed\":true,"
                  + "\"result\":\"Average 0.7 us\",\"output\":[\"Average 0.7 us\"]}");
    }
  }

  private static List<String> behind(Path bin, Nodes nodes, int node) {
    List<String> prefix = new ArrayList<>(nodes.environment(node));
    prefix.add("PATH=" + bin + ":" + System.getenv("PATH"));
    return prefix;
  }

  private static void script(Path file, String text) throws IOException {
    Files.writeString(file, text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  /** The server was not told that it may. */
  @Test
  void aServerRunsNoProgramThatItsOperatorHasNotAllowed() throws Exception {
    try (FabricServe server = FabricServe.start(children.directory(), "--bind", LOOPBACK)) {
      Said said = run(server.port(), "--beside");
      assertThat(said.text()).contains("fabric: the other end runs no programs for others");
      assertThat(said.code()).as(said.text()).isZero();
      try (Socket control = connect(server.port())) {
        control.getOutputStream().write("SLIPSTREAM-FABRIC 1 hello\n\n".getBytes(UTF_8));
        assertThat(readMessage(control.getInputStream())).contains(" welcome ");
        control.getOutputStream().write("SLIPSTREAM-FABRIC 1 tool rping \n\n".getBytes(UTF_8));
        assertThat(readMessage(control.getInputStream()))
            .isEqualTo("SLIPSTREAM-FABRIC 1 refused it is not installed, or may not be run\n\n");
      }
    }
  }

  @Test
  void whereNoTransportJoinsTheCodeIs1AndTheReasonIsNamed() throws Exception {
    String elsewhere = "dir=" + children.home().resolve("elsewhere");
    try (FabricServe server = FabricServe.start(children.directory(), "--bind", LOOPBACK)) {
      Said said = run(server.port(), "--set", elsewhere);
      assertThat(said.text())
          .containsPattern(
              "(?m)^shm +! both ends have it, and it does not join them: PEER_NOT_ACCELERATED: ")
          .containsPattern("(?m)^verdict +only TCP joins the two ends$");
      assertThat(said.code()).as(said.text()).isEqualTo(1);
    }
  }

  @Test
  void aTransportThatIsOffAtOneEndIsNamedWithThatEnd() throws Exception {
    try (FabricServe server =
        FabricServe.start(children.directory(), "--bind", LOOPBACK, "--set", "transports=rdma")) {
      Said said = run(server.port());
      assertThat(said.text())
          .containsPattern(
              "(?m)^shm +not available: not there: switched off by slipstream.transports$");
      assertThat(said.code()).as(said.text()).isEqualTo(1);
    }
  }

  @Test
  void whatIsExpectedAndDoesNotJoinHasTheCode1() throws Exception {
    try (FabricServe server = FabricServe.start(children.directory(), "--once")) {
      Said said = run(server.port(), "--expect", "shm,ntb");
      assertThat(said.text())
          .containsPattern("(?m)^verdict +shm joins the two ends, but not all that was expected");
      assertThat(said.code()).as(said.text()).isEqualTo(1);
      assertThat(server.awaitExit()).as("--once").isZero();
    }
  }

  // -- no check ----------------------------------------------------------------------------------

  @Test
  void whereNothingListensThatIsSaidAndTheCodeIs3() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName(LOOPBACK))) {
      port = free.getLocalPort();
    }
    Said said = run(port);
    assertThat(said.text())
        .contains("slipstream: SL040: fabric: no connection to 127.0.0.1:" + port)
        .contains("start 'slipstream fabric serve' there");
    assertThat(said.code()).as(said.text()).isEqualTo(3);
  }

  /** Of a server that is none of ours. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SSH-2.0-OpenSSH_9.2\\r\\n                     | but no 'slipstream fabric serve' answers",
        "HTTP/1.1 400 Bad Request\\r\\n\\r\\n          | but no 'slipstream fabric serve' answers",
        "SLIPSTREAM-FABRIC 1 hello\\n\\n               | is no server of the check",
        "SLIPSTREAM-FABRIC 2 welcome token\\n\\n       | it speaks version 2 of the check",
        "''                                            | it closed the connection without a word"
      })
  void aPeerThatIsNoServerOfTheCheckIsNamedInOneSentence(String greeting, String sentence)
      throws Exception {
    byte[] bytes = greeting.replace("\\r", "\r").replace("\\n", "\n").getBytes(UTF_8);
    try (ServerSocket other = new ServerSocket(0, 5, InetAddress.getByName(LOOPBACK))) {
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            try (Socket socket = other.accept()) {
              socket.getInputStream().read();
              socket.getOutputStream().write(bytes);
              if (bytes.length > 0) {
                socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
              }
            } catch (IOException e) {
              // The client has seen enough.
            }
          });
      Said said = run(other.getLocalPort());
      assertThat(said.text().lines().filter(line -> line.startsWith("slipstream: SL040: fabric: ")))
          .singleElement()
          .asString()
          .contains(sentence);
      assertThat(said.code()).as(said.text()).isEqualTo(3);
    }
  }

  @Test
  void aClientOfAnotherVersionIsToldOurs() throws Exception {
    try (FabricServe server = FabricServe.start(children.directory(), "--bind", LOOPBACK)) {
      assertThat(ask(server.port(), "SLIPSTREAM-FABRIC 9 hello\n\n"))
          .isEqualTo("SLIPSTREAM-FABRIC 1 version\n\n");
    }
  }

  @Test
  void aServerThatIsKilledInTheMiddleEndsTheCheckWithTheCode3() throws Exception {
    try (FabricServe server = FabricServe.start(children.directory(), "--bind", LOOPBACK)) {
      List<String> command = new ArrayList<>(List.of(Children.JAVA, "-jar"));
      command.add(Children.JAR.toString());
      List<String> arguments = check(server.port());
      arguments.set(arguments.indexOf("0.1"), "10");
      command.addAll(arguments);
      Process client = new ProcessBuilder(command).redirectErrorStream(true).start();
      CompletableFuture<String> last = new CompletableFuture<>();
      CompletableFuture<Void> measures = new CompletableFuture<>();
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            String text = "";
            try (BufferedReader lines = client.inputReader(UTF_8)) {
              for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                text += line + "\n";
                if (line.contains("round trips of 64 bytes")) {
                  measures.complete(null);
                }
              }
            } catch (IOException e) {
              text += e.getMessage();
            }
            last.complete(text);
          });
      try {
        measures.get(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS);
        server.kill();
        String said = last.get(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS);
        assertThat(said)
            .containsPattern("SL040: fabric: 127.0.0.1:\\d+ went away while \\w+ was measured");
        assertThat(client.waitFor(Patience.DEADLINE)).isTrue();
        assertThat(client.exitValue()).as(said).isEqualTo(3);
      } finally {
        client.destroyForcibly();
      }
    }
  }

  // -- what a client that proves nothing can do --------------------------------------------------

  private static Socket connect(int port) throws IOException {
    return new Socket(LOOPBACK, port);
  }

  /** Says it, and returns all that is answered until the server closes the connection. */
  private static String ask(int port, String words) throws IOException {
    try (Socket socket = connect(port)) {
      socket.getOutputStream().write(words.getBytes(UTF_8));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    } catch (java.net.SocketException e) {
      return ""; // what was not read makes a reset of the close
    }
  }

  private static String readMessage(InputStream in) throws IOException {
    StringBuilder text = new StringBuilder();
    while (!text.toString().endsWith("\n\n")) {
      int b = in.read();
      if (b < 0) {
        return text.toString();
      }
      text.append((char) b);
    }
    return text.toString();
  }

  @Test
  void aClientThatTalksNonsenseIsClosedAndTheNextCheckRuns() throws Exception {
    try (FabricServe server = FabricServe.start(children.directory(), "--bind", LOOPBACK)) {
      int port = server.port();
      assertThat(ask(port, "GET / HTTP/1.1\r\n\r\n")).isEmpty();
      assertThat(ask(port, "SLIPSTREAM-FABRIC 1 " + "x".repeat(100_000))).isEmpty();
      assertThat(ask(port, "SLIPSTREAM-FABRIC 1 shutdown\n\n")).contains(" refused ");
      assertThat(ask(port, "SLIPSTREAM-FABRIC 1 join 00000000000000000000000000000000 tcp\n\n"))
          .contains(" refused this connection belongs to no check");

      try (Socket control = connect(port)) {
        control.getOutputStream().write("SLIPSTREAM-FABRIC 1 hello\n\n".getBytes(UTF_8));
        String welcome = readMessage(control.getInputStream());
        assertThat(welcome).startsWith("SLIPSTREAM-FABRIC 1 welcome ").doesNotContain("boot_id");
        assertThat(ask(port, "SLIPSTREAM-FABRIC 1 hello\n\n"))
            .as("one at a time")
            .isEqualTo("SLIPSTREAM-FABRIC 1 busy\n\n");
        String token = welcome.lines().findFirst().orElseThrow().replaceFirst(".* ", "");
        try (Socket joined = connect(port)) {
          String join = "SLIPSTREAM-FABRIC 1 join " + token + " tcp\n\n";
          joined.getOutputStream().write(join.getBytes(UTF_8));
          assertThat(readMessage(joined.getInputStream())).isEqualTo("SLIPSTREAM-FABRIC 1 ok\n\n");
          // Echo messages of 1 GiB.
          joined.getOutputStream().write(new byte[] {0, 0, 0, 1, 0x40, 0, 0, 0});
          assertThat(joined.getInputStream().read()).as("closed").isNegative();
          assertThat(ask(port, join)).as("joined already").contains(" refused ");
        }
      }
      Said said = run(port, "--expect", "shm");
      assertThat(said.code()).as(said.text()).isZero();
      assertThat(server.said())
          .anyMatch(line -> line.contains("messages of 1073741824 bytes are not served"));
    }
  }

  @Test
  void connectionsThatSayNothingDoNotKeepOthersOutForLong() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try (FabricServe server = FabricServe.start(children.directory(), "--bind", LOOPBACK)) {
      for (int i = 0; i < 30; i++) {
        silent.add(connect(server.port()));
      }
      Children.soon()
          .untilAsserted(() -> {
            Said said = run(server.port());
            assertThat(said.code()).as(said.text()).isZero();
          });
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  // -- the command line --------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "fabric                            | Name the other host, or 'serve'.",
        "fabric host --seconds=0           | --seconds needs a number above 0",
        "fabric host --seconds=11          | --seconds needs a number above 0",
        "fabric host --seconds=NaN         | --seconds needs a number above 0",
        "fabric host --port=65536          | --port needs a number from 1 to 65535.",
        "fabric host --expect=tcp          | --expect names 'tcp'; known are shm, ntb, rdma.",
        "fabric host --set no.such.key=1   | Unknown setting slipstream.no.such.key",
        "fabric one two                    | Unmatched argument",
        "fabric serve word                 | Unmatched argument",
        "fabric serve --port=x             | 'x' is not an int",
        "fabric serve --set ring.size=3    | slipstream.ring.size=3"
      })
  void aWrongCommandLineIsNamedAndHasTheCode2(String arguments, String sentence) throws Exception {
    Said said = Tool.run(List.of(), arguments.split(" +", -1));
    assertThat(said.text()).contains(sentence).contains("Usage: slipstream fabric");
    assertThat(said.code()).as(said.text()).isEqualTo(2);
  }

  @Test
  void helpOfTheServerSaysWhatItOpens() throws Exception {
    Said said = Tool.run(List.of(), "fabric", "serve", "--help");
    assertThat(said.text().replaceAll("\\s+", " "))
        .contains("It opens one TCP port, at all addresses of this host unless --bind names one")
        .contains("1 it can not listen");
    assertThat(said.code()).isZero();
  }
}
