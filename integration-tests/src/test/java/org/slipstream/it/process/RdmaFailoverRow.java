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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.shm.ProcessInspector;
import org.slipstream.testkit.Patience;

/**
 * The device is taken away while streams are kept full both ways: every one goes on over TCP with
 * not a byte lost or doubled, and comes back with the device. Runs inside the guest, whose device
 * is {@code rxe0} over {@code roce0}.
 */
public class RdmaFailoverRow {
  private static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");

  private static final int CONNECTIONS = 2;
  private static final Duration PATIENCE = Patience.seconds(20);

  private static final Children CHILDREN = new Children();

  private static Peer server;
  private static Peer client;
  private static String port;

  private final Load load = new Load();

  @BeforeAll
  static void start() throws Exception {
    CHILDREN.begin();
    Peer a = CHILDREN.launch(command("a"));
    Peer b = CHILDREN.launch(command("b"));
    server = a.awaitReady();
    client = b.awaitReady();
    port = server.ask("listen l 0 " + HOST);
    server.ask("serve l echo");
  }

  @AfterAll
  static void stop() throws Exception {
    CHILDREN.end(true);
  }

  @BeforeEach
  void connect() throws Exception {
    awaitSession();
    for (int i = 0; i < CONNECTIONS; i++) {
      client.ask("connect c" + i + " " + port + " " + HOST);
      load.begin("c" + i);
    }
  }

  @AfterEach
  void disconnect() throws Exception {
    load.end();
    client.ask("closeMany c");
    awaitNoStreams();
  }

  /**
   * Soft-RoCE (6.1) may have lost the connection manager's queue pair with the link; a new device
   * has one.
   */
  @Test
  void theLinkIsCut() throws Exception {
    awaitAll("on the ring", StreamLine::onRing);
    run("ip", "link", "set", "roce0", "down");
    try {
      awaitAll("on TCP", s -> !s.onRing());
      awaitProgress();
    } finally {
      run("ip", "link", "set", "roce0", "up");
    }
    deleteDevice();
    makeDevice();
    awaitAll("on the ring again", StreamLine::onRing);
  }

  /** Not in verify, because of that queue pair. */
  @Test
  @Tag("LinkReturn")
  void theLinkReturns() throws Exception {
    awaitAll("on the ring", StreamLine::onRing);
    run("ip", "link", "set", "roce0", "down");
    try {
      awaitAll("on TCP", s -> !s.onRing());
    } finally {
      run("ip", "link", "set", "roce0", "up");
    }
    awaitAll("on the ring again", StreamLine::onRing);
  }

  @Test
  void theDeviceIsDeletedAndMadeAgain() throws Exception {
    awaitAll("on the ring", StreamLine::onRing);
    deleteDevice();
    awaitAll("on TCP", s -> !s.onRing());
    awaitProgress();
    makeDevice();
    awaitAll("on the ring again", StreamLine::onRing);
  }

  /** Returns when nobody holds the device any more, with both processes alive. */
  private static void deleteDevice() throws Exception {
    run("rdma", "link", "delete", "rxe0");
  }

  private static void makeDevice() throws Exception {
    run("rdma", "link", "add", "rxe0", "type", "rxe", "netdev", "roce0");
  }

  /** Exchanges on every connection, each byte compared, until it is told to end. */
  private static final class Load {
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

  /** A stream that is opened before its peer is ready stays plain. */
  private static void awaitSession() {
    Children.soon()
        .until(() -> {
          client.ask("connect w " + port + " " + HOST);
          client.ask("exchange w 50 1000 1");
          boolean joined = streams("b").stream().anyMatch(StreamLine::onRing);
          client.ask("close w");
          return joined;
        });
    awaitNoStreams();
  }

  private static void awaitNoStreams() {
    Children.soon().until(() -> streams("a").isEmpty() && streams("b").isEmpty());
  }

  /** Each in a directory of its own, so that they do not meet in shared memory. */
  private static List<String> command(String directory) throws Exception {
    return CHILDREN.acceleratedCommand(
        List.of(),
        "-Dslipstream.transports=rdma,shm",
        "-Dslipstream.dir=" + CHILDREN.home().resolve(directory),
        "--enable-native-access=ALL-UNNAMED");
  }

  private static List<StreamLine> streams(String directory) {
    try {
      String path = CHILDREN.home().resolve(directory).toString();
      return StreamLine.parse(String.join(",", ProcessInspector.ask(path, "streams")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void awaitAll(String what, Predicate<StreamLine> is) throws Exception {
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
  private static void awaitProgress() {
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
