package org.slipstream.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Patience;

/** gRPC, Reactor Netty and Vert.x over our transport, between two processes, and on the ring. */
final class NettyLibrariesIT {
  /** Jars and directories of our modules, but for the Netty adapter. */
  private static final Pattern CORE =
      Pattern.compile("/(transport-(api|core|shm)|socketimpl-provider|agent)[/-]");

  @RegisterExtension final Children children = new Children();

  /** With the agent, or with the product as an ordinary library. */
  private Peer start(boolean agent) throws Exception {
    List<String> command = new ArrayList<>(List.of(Children.JAVA, "-XX:+UseSerialGC", "-Xmx256m"));
    if (agent) {
      command.add("-javaagent:" + Children.JAR);
    }
    command.add("-Dslipstream.dir=" + children.directory());
    command.add("-Dio.netty.leakDetection.level=paranoid");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(NettyPeerProgram.class.getName());
    return children.launch(command).awaitReady();
  }

  @Test
  void grpcUnaryCalls() throws Exception {
    Peer server = start(false);
    Peer client = start(true);
    assertCarried(server, client, "unary " + server.ask("grpcServe") + " 500 1000", 2 * 500 * 1000);
  }

  @Test
  void grpcStreaming() throws Exception {
    Peer server = start(true);
    Peer client = start(true);
    String port = server.ask("grpcServe");
    assertCarried(server, client, "streaming " + port + " 3000 5000", 2 * 3000 * 5000);
  }

  @Test
  void reactorNettyHttp() throws Exception {
    Peer server = start(true);
    Peer client = start(false);
    String port = server.ask("httpServe");
    assertCarried(server, client, "post " + port + " 1000 10000", 2 * 1000 * 10_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP_1_1", "HTTP_2"})
  void vertxHttp(String version) throws Exception {
    Peer server = start(false);
    Peer client = start(true);
    String command = "vertxPost " + server.ask("vertxServe") + " 1000 10000 " + version;
    assertCarried(server, client, command, 2 * 1000 * 10_000);
  }

  @Test
  void withoutTheCoreItSaysWhatIsMissing() throws Exception {
    String classPath =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> !CORE.matcher(entry).find())
            .collect(Collectors.joining(File.pathSeparator));
    Process child =
        new ProcessBuilder(Children.JAVA, "-cp", classPath, NettyWithoutCore.class.getName())
            .redirectErrorStream(true)
            .start();
    assertThat(new String(child.getInputStream().readAllBytes(), UTF_8))
        .startsWith("false slipstream.jar is not on the class path")
        .contains("newFactory slipstream.jar is not on the class path");
  }

  /**
   * Lets the client work until the ring carried most of what one run moves. How much of the first
   * run is over before its stream is on the ring depends on the machine.
   */
  private void assertCarried(Peer server, Peer client, String command, long bytes)
      throws Exception {
    long end = System.nanoTime() + Patience.LONG.toNanos();
    long there;
    long here;
    do {
      long thereBefore = ringBytes(server);
      long hereBefore = ringBytes(client);
      client.ask(command, Patience.LONG);
      there = ringBytes(server) - thereBefore;
      here = ringBytes(client) - hereBefore;
    } while ((there <= bytes / 2 || here <= bytes / 2) && System.nanoTime() - end < 0);
    assertThat(there)
        .as("ring bytes of the server: %s", children.streams())
        .isGreaterThan(bytes / 2);
    assertThat(here)
        .as("ring bytes of the client: %s", children.streams())
        .isGreaterThan(bytes / 2);
    for (Peer peer : List.of(server, client)) {
      peer.ask("leaks");
      assertThat(peer.errors()).noneMatch(line -> line.contains("LEAK"));
    }
  }

  private long ringBytes(Peer peer) {
    return children.streams(peer).stream().mapToLong(StreamLine::ringBytes).sum();
  }
}
