package org.slipstream.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.shm.ProcessInspector;
import org.slipstream.testkit.Patience;

/**
 * The device is taken away while streams are kept full both ways: every one goes on over TCP with
 * not a byte lost or doubled, and comes back with the device. Runs inside the guest, whose device
 * is {@code rxe0} over {@code roce0}.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
public class RdmaFailoverRow {
  private static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");

  private static final int CONNECTIONS = 4;
  private static final Duration PATIENCE = Patience.seconds(10);

  @RegisterExtension final Children children = new Children();

  private Peer server;
  private Peer client;

  @Test
  void theLinkIsCut() throws Exception {
    start();
    CompletableFuture<String> soak = soak(25);
    awaitAll("on the ring", StreamLine::onRing);
    run("ip", "link", "set", "roce0", "down");
    awaitAll("on TCP", s -> !s.onRing());
    awaitProgress();
    run("ip", "link", "set", "roce0", "up");
    awaitAll("on the ring again", StreamLine::onRing);
    server.ok(soak, PATIENCE.plusSeconds(30), "the soak");
  }

  @Test
  void theDeviceIsDeletedAndMadeAgain() throws Exception {
    start();
    CompletableFuture<String> soak = soak(35);
    awaitAll("on the ring", StreamLine::onRing);
    // Returns when nobody holds the device any more, with both processes alive.
    run("rdma", "link", "delete", "rxe0");
    awaitAll("on TCP", s -> !s.onRing());
    awaitProgress();
    run("rdma", "link", "add", "rxe0", "type", "rxe", "netdev", "roce0");
    awaitAll("on the ring again", StreamLine::onRing);
    server.ok(soak, PATIENCE.plusSeconds(40), "the soak");
  }

  private void start() throws Exception {
    Peer a = children.launch(command("a"));
    Peer b = children.launch(command("b"));
    server = a.awaitReady();
    client = b.awaitReady();
  }

  /** Each in a directory of its own, so that they do not meet in shared memory. */
  private List<String> command(String directory) throws Exception {
    return children.acceleratedCommand(
        List.of(),
        "-Dslipstream.transports=rdma,shm",
        "-Dslipstream.dir=" + children.home().resolve(directory),
        "--enable-native-access=ALL-UNNAMED");
  }

  private List<StreamLine> streams(String directory) {
    try {
      String path = children.home().resolve(directory).toString();
      return StreamLine.parse(String.join(",", ProcessInspector.ask(path, "streams")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private CompletableFuture<String> soak(int seconds) throws Exception {
    String port = server.ask("listen l 0 " + HOST);
    server.ask("serve l echo");
    return client.begin(
        "soak " + port + " " + CONNECTIONS + " " + seconds * 1000 + " 7 " + HOST);
  }

  private void awaitAll(String what, Predicate<StreamLine> is) {
    Children.soon()
        .untilAsserted(() ->
            assertThat(Stream.of("a", "b").flatMap(d -> streams(d).stream()))
                .as(what)
                .hasSize(2 * CONNECTIONS)
                .allMatch(is));
  }

  /** Nobody waits for the device. */
  private void awaitProgress() {
    List<StreamLine> before = streams("b");
    Children.soon()
        .untilAsserted(() -> {
          List<StreamLine> now = streams("b");
          for (int i = 0; i < CONNECTIONS; i++) {
            assertThat(now.get(i).plainBytes()).isGreaterThan(before.get(i).plainBytes() + 10_000);
          }
        });
  }

  private static void run(String... words) throws Exception {
    Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
    boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(ended).as("%s ends", List.of(words)).isTrue();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.exitValue()).as(output).isZero();
  }
}
