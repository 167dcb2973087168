package org.slipstream.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.TestDirectory;

/**
 * The Compose file of the docs, by an engine of its own in a network namespace, where it makes its
 * usual rules of iptables: two containers, and a client on the host that connects to the published
 * port.
 *
 * <pre>
 *   client on the host 10.213.90.1 --- 10.213.90.2:9000 engine --- server:8080, client
 * </pre>
 */
class PublishedPortsIT {
  private static final String NAME = "snp" + ProcessHandle.current().pid() % 100_000;
  private static final String OUTSIDE = "10.213.90.1/24";
  private static final String INSIDE = "10.213.90.2";
  private static final String SOCKET = "unix:///var/tmp/slipstream-engine-" + NAME + "/docker.sock";
  private static final String IMAGE = "slipstream-it:local";
  private static final String USER = "1000";
  private static final int STREAMS = 4;

  /** In the file of the docs. */
  private static final String APP = "/dev/shm/app";

  private static final Path COMPOSE = Path.of("..", "docs", "containers", "compose.yaml");
  private static final Path SCRIPTS = Path.of("containers").toAbsolutePath();

  /** What an image with programs would have. */
  private static final String OVERRIDE =
      """
      services:
        server: &box
          command: ["/bin/sh", "-c", "while :; do sleep 3600; done"]
          environment:
            JAVA_TOOL_OPTIONS: -javaagent:/opt/slipstream/slipstream.jar
          volumes:
            - $java:/opt/jdk:ro
            - $jar:/opt/slipstream/slipstream.jar:ro
            - $classes:/opt/slipstream/classes:ro
        client: *box
      """;

  /** The tools of an engine, and the image's busybox. */
  @RegisterExtension static final Engine ENGINE = new Engine();

  @RegisterExtension final Children children = new Children();

  @TempDir Path temp;
  private TestDirectory app;
  private List<String> compose = List.of();

  @BeforeEach
  void makeTheEngine() throws Exception {
    require(succeeds("sh", "-c", "command -v dockerd"), "dockerd, to start an engine of its own");
    require(Engine.hasOwnImage(), "the image of the tests");
    if ("true".equals(System.getenv("CI")) && !succeeds("sh", "-c", "command -v docker-compose")) {
      run(
          "apt-get",
          "-o",
          "DPkg::Lock::Timeout=300",
          "install",
          "-y",
          "-qq",
          "--no-install-recommends",
          "docker-compose");
    }
    boolean plugin = succeeds("docker", "compose", "version");
    require(
        plugin || succeeds("sh", "-c", "command -v docker-compose"),
        "docker compose, or docker-compose");
    require(succeeds("ip", "netns", "add", NAME), "the right to make network namespaces");
    must("ip", "link", "add", NAME, "type", "veth", "peer", "name", "eth0", "netns", NAME);
    must("ip", "addr", "add", OUTSIDE, "dev", NAME);
    must("ip", "link", "set", NAME, "up");
    must("ip", "-n", NAME, "addr", "add", INSIDE + "/24", "dev", "eth0");
    must("ip", "-n", NAME, "link", "set", "eth0", "up");
    must("ip", "-n", NAME, "link", "set", "lo", "up");
    must(SCRIPTS.resolve("engine").toString(), "up", NAME);
    must("env", "DOCKER_HOST=" + SOCKET, SCRIPTS.resolve("image").toString(), IMAGE);
    app = TestDirectory.create();
    must("chown", USER + ":" + USER, app.path().toString());
    compose = new ArrayList<>(List.of("env", "DOCKER_HOST=" + SOCKET));
    compose.addAll(plugin ? List.of("docker", "compose") : List.of("docker-compose"));
    compose.addAll(List.of("-p", NAME, "-f", files().toString()));
    compose.addAll(List.of("-f", temp.resolve("override.yaml").toString()));
  }

  @AfterEach
  void removeTheEngine() throws Exception {
    if (!compose.isEmpty()) {
      succeeds(compose, "down", "-t", "0");
    }
    succeeds(SCRIPTS.resolve("engine").toString(), "down", NAME);
    succeeds("ip", "netns", "del", NAME);
    succeeds("ip", "link", "del", NAME);
    if (app != null) {
      app.close();
    }
  }

  /** The file of the docs with the directory of this test; beside it what the images lack. */
  private Path files() throws Exception {
    String text = Files.readString(COMPOSE);
    assertThat(text).contains("- " + APP + ":/shared");
    Path file = temp.resolve("compose.yaml");
    Files.writeString(file, text.replace("- " + APP + ":", "- " + app.path() + ":"));
    Files.writeString(
        temp.resolve("override.yaml"),
        OVERRIDE
            .replace("$java", System.getProperty("java.home"))
            .replace("$jar", Children.JAR.toString())
            .replace("$classes", Children.classes()));
    return file;
  }

  @Test
  void theComposeFileRunsAndAllStreamsLeaveTcpThoseToThePublishedPortToo() throws Exception {
    for (String service : List.of("server", "client")) {
      must("docker", "-H", SOCKET, "tag", IMAGE, "my/" + service + ":slipstream");
    }
    must(compose, "up", "-d");
    Peer server = container("server");
    server.ask("listen l 8080 0.0.0.0");
    server.ask("serve l echo");
    Peer inside = container("client");
    inside.ask("connectMany c 8080 " + STREAMS + " server");
    try (PublicCopy copy = new PublicCopy()) {
      List<String> asUser =
          List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--clear-groups");
      List<String> command =
          children.acceleratedCommand(asUser, "-Dslipstream.dir=" + app.path().resolve("run"));
      Peer outside = children.launch(copy.command(command)).awaitReady();
      outside.ask("connectMany c 9000 " + STREAMS + " " + INSIDE);
      Children.soon()
          .untilAsserted(() -> {
            for (Peer client : List.of(inside, outside)) {
              client.ask("exchangeMany c 5 2000");
              assertThat(client.streams()).hasSize(STREAMS).allMatch(StreamLine::onRing);
            }
            assertThat(server.streams()).hasSize(2 * STREAMS).allMatch(StreamLine::onRing);
          });
      for (Peer client : List.of(inside, outside)) {
        long ring = bytes(client, true);
        long plain = bytes(client, false);
        client.ask("exchangeMany c 50 20000"); // and compares what comes back
        assertThat(bytes(client, true) - ring)
            .as("bytes over the ring")
            .isGreaterThan(10 * (bytes(client, false) - plain) + 1_000_000);
      }
      assertThat(outside.streams()).extracting(StreamLine::remote).containsOnly(INSIDE + ":9000");
      assertThat(server.streams())
          .extracting(StreamLine::local)
          .noneMatch(s -> s.endsWith(":9000"));
    }
  }

  private static long bytes(Peer client, boolean ring) throws Exception {
    return client.streams().stream().mapToLong(s -> ring ? s.ringBytes() : s.plainBytes()).sum();
  }

  /** A program in a service's container, with the environment that the file gives it. */
  private Peer container(String service) throws Exception {
    String id = must(compose, "ps", "-q", service).lines().toList().getLast();
    List<String> command = new ArrayList<>(List.of("docker", "-H", SOCKET, "exec", "-i", id));
    command.addAll(List.of("/opt/jdk/bin/java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-Xmx128m", "-XX:-UsePerfData", "-cp", "/opt/slipstream/classes"));
    command.add(PeerProgram.class.getName());
    return children.launch(command).awaitReady();
  }

  // -- commands ----------------------------------------------------------------------------------

  private record Outcome(int code, String output) {}

  private static String must(List<String> prefix, String... words) throws Exception {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of(words));
    return must(command.toArray(String[]::new));
  }

  private static String must(String... command) throws Exception {
    Outcome outcome = run(command);
    assertThat(outcome.code).as("%s: %s", List.of(command), outcome.output).isZero();
    return outcome.output;
  }

  private static boolean succeeds(List<String> prefix, String... words) throws Exception {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of(words));
    return succeeds(command.toArray(String[]::new));
  }

  private static boolean succeeds(String... command) throws Exception {
    try {
      return run(command).code == 0;
    } catch (IOException e) {
      return false; // there is no such command
    }
  }

  private static Outcome run(String... command) throws Exception {
    Process process =
        new ProcessBuilder(command)
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Outcome(process.waitFor(), output);
  }
}
