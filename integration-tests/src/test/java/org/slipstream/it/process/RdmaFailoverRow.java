package org.slipstream.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
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

  private static final int CONNECTIONS = 2;
  private static final Duration PATIENCE = Patience.seconds(10);

  @RegisterExtension final Children children = new Children();

  private final Load load = new Load();

  private Peer server;
  private Peer client;

  @Test
  void theLinkIsCut() throws Exception {
    start();
    awaitAll("on the ring", StreamLine::onRing);
    run("ip", "link", "set", "roce0", "down");
    awaitAll("on TCP", s -> !s.onRing());
    awaitProgress();
    run("ip", "link", "set", "roce0", "up");
    awaitAll("on the ring again", StreamLine::onRing);
    load.end();
  }

  @Test
  void theDeviceIsDeletedAndMadeAgain() throws Exception {
    start();
    awaitAll("on the ring", StreamLine::onRing);
    // Returns when nobody holds the device any more, with both processes alive.
    run("rdma", "link", "delete", "rxe0");
    awaitAll("on TCP", s -> !s.onRing());
    awaitProgress();
    run("rdma", "link", "add", "rxe0", "type", "rxe", "netdev", "roce0");
    awaitAll("on the ring again", StreamLine::onRing);
    load.end();
  }

  /** Exchanges on every connection, each byte compared, until it is told to end. */
  private final class Load {
    private final List<FutureTask<Integer>> loops = new ArrayList<>();
    private volatile boolean over;

    void begin(String channel) {
      FutureTask<Integer> loop =
          new FutureTask<>(() -> {
            int n = 0;
            while (!over) {
              client.ask("exchange " + channel + " 20 20000 " + n++);
            }
            return n;
          });
      loops.add(loop);
      Thread.ofPlatform().daemon().name("load " + channel).start(loop);
    }

    /** Fails if an exchange failed. */
    void end() throws Exception {
      over = true;
      for (FutureTask<Integer> loop : loops) {
        assertThat(loop.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isPositive();
      }
    }
  }

  private void start() throws Exception {
    Peer a = children.launch(command("a"));
    Peer b = children.launch(command("b"));
    server = a.awaitReady();
    client = b.awaitReady();
    String port = server.ask("listen l 0 " + HOST);
    server.ask("serve l echo");
    awaitSession(port);
    for (int i = 0; i < CONNECTIONS; i++) {
      client.ask("connect c" + i + " " + port + " " + HOST);
      load.begin("c" + i);
    }
  }

  /** A stream that is opened before its peer is ready stays plain. */
  private void awaitSession(String port) {
    Children.soon()
        .until(() -> {
          client.ask("connect w " + port + " " + HOST);
          client.ask("exchange w 50 1000 1");
          boolean joined = streams("b").stream().anyMatch(StreamLine::onRing);
          client.ask("close w");
          return joined;
        });
    Children.soon().until(() -> streams("a").isEmpty() && streams("b").isEmpty());
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

  private void awaitAll(String what, Predicate<StreamLine> is) throws Exception {
    try {
      Children.soon()
          .untilAsserted(() ->
              assertThat(Stream.of("a", "b").flatMap(d -> streams(d).stream()))
                  .as(what)
                  .hasSize(2 * CONNECTIONS)
                  .allMatch(is));
    } catch (ConditionTimeoutException e) {
      server.signal("QUIT"); // their threads are in the report
      client.signal("QUIT");
      Thread.sleep(3_000);
      throw e;
    }
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
