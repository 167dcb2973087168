package org.slipstream.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.shm.ProcessInspector;
import org.slipstream.testkit.Patience;

/**
 * The device is taken away while streams are kept full both ways, two of them by small writes and
 * one by large ones, which travel from where the program has them: every one goes on over TCP with
 * not a byte lost or doubled, and comes back with the device. Runs inside the guest, whose device
 * is {@code rxe0} over {@code roce0}.
 */
public class RdmaFailoverRow {
  private static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");

  /** Bytes of the writes of each connection; those of 64 KiB and more are sent without a copy. */
  private static final int[] PIECES = {700, 20_000, 2 << 20};

  /** Both ends of each. */
  private static final int ENDS = 2 * PIECES.length;

  /** Bytes that each end sends on a way until that is believed. */
  private static final long SOME = 1_000_000;

  private static final Duration PATIENCE = Patience.seconds(20);

  /** One line for each record: why sessions end, and what they have carried. */
  private static final String LOGGING =
      """
      handlers=java.util.logging.ConsoleHandler
      java.util.logging.ConsoleHandler.level=FINE
      java.util.logging.SimpleFormatter.format=%5$s%6$s%n
      org.slipstream.rdma.level=FINE
      """;

  private static final Pattern ENDED =
      Pattern.compile("A queue pair is closed: (.*); zero-copy writes: (\\d+)");

  private static final Children CHILDREN = new Children();

  private static Peer server;
  private static Peer client;
  private static String echo;
  private static String port;

  private final Pouring load = new Pouring();

  /** Lines that the two had said before. */
  private final Map<Peer, Integer> said = new HashMap<>();

  @BeforeAll
  static void start() throws Exception {
    CHILDREN.begin();
    Files.writeString(CHILDREN.home().resolve("logging"), LOGGING);
    Peer a = CHILDREN.launch(command("a"));
    Peer b = CHILDREN.launch(command("b"));
    server = a.awaitReady();
    client = b.awaitReady();
    echo = server.ask("listen e 0 " + HOST);
    server.ask("serve e echo");
    port = server.ask("listen l 0 " + HOST);
  }

  @AfterAll
  static void stop() throws Exception {
    CHILDREN.end(true);
  }

  @BeforeEach
  void connect() throws Exception {
    awaitSession();
    for (Peer peer : List.of(server, client)) {
      said.put(peer, peer.errors().size());
    }
    for (int i = 0; i < PIECES.length; i++) {
      load.begin(client, server, Integer.toString(i), port + " " + HOST, PIECES[i]);
    }
  }

  @AfterEach
  void disconnect() throws Exception {
    load.end(SOME, client, server);
    client.ask("closeMany c");
    server.ask("closeMany s");
    awaitNoStreams();
  }

  /**
   * Soft-RoCE (6.1) may have lost the connection manager's queue pair with the link; a new device
   * has one.
   */
  @Test
  void theLinkIsCut() throws Exception {
    awaitMoreByTheRing();
    run("ip", "link", "set", "roce0", "down");
    try {
      awaitTcp();
    } finally {
      run("ip", "link", "set", "roce0", "up");
    }
    // An end that sends at that very moment hears it from the queue pair first: of a request that
    // failed, or of receives that were given back.
    assertThat(ended())
        .anyMatch(e ->
            List.of("the link is down", "local QP operation error").contains(e.cause)
                || e.cause.startsWith("the queue pair failed: "));
    deleteDevice();
    makeDevice();
    awaitMoreByTheRing();
  }

  /** Not in verify, because of that queue pair. */
  @Test
  @Tag("LinkReturn")
  void theLinkReturns() throws Exception {
    awaitMoreByTheRing();
    run("ip", "link", "set", "roce0", "down");
    try {
      awaitTcp();
    } finally {
      run("ip", "link", "set", "roce0", "up");
    }
    awaitMoreByTheRing();
  }

  @Test
  void theDeviceIsDeletedAndMadeAgain() throws Exception {
    awaitMoreByTheRing();
    deleteDevice();
    awaitTcp();
    assertThat(ended()).anyMatch(e -> e.cause.equals("the device is gone"));
    makeDevice();
    awaitMoreByTheRing();
  }

  /** Returns when no process holds the device any more, with both processes alive. */
  private static void deleteDevice() throws Exception {
    run("rdma", "link", "delete", "rxe0");
  }

  private static void makeDevice() throws Exception {
    run("rdma", "link", "add", "rxe0", "type", "rxe", "netdev", "roce0");
  }

  /** A stream that is opened before its peer is ready stays plain. */
  private static void awaitSession() {
    Children.soon()
        .until(() -> {
          client.ask("connect w " + echo + " " + HOST);
          client.ask("exchange w 50 1000 1");
          boolean joined = streams("b").stream().anyMatch(StreamLine::onRing);
          client.ask("close w");
          return joined;
        });
    awaitNoStreams();
  }

  private static void awaitNoStreams() {
    Children.soon().until(() -> ends().isEmpty());
  }

  /** Each in a directory of its own, so that they do not meet in shared memory. */
  private static List<String> command(String directory) throws Exception {
    return CHILDREN.acceleratedCommand(
        List.of(),
        "-Dslipstream.transports=rdma,shm",
        "-Dslipstream.dir=" + CHILDREN.home().resolve(directory),
        "-Djava.util.logging.config.file=" + CHILDREN.home().resolve("logging"),
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

  private static List<StreamLine> ends() {
    return Stream.of("a", "b").flatMap(d -> streams(d).stream()).toList();
  }

  /** A process of an emulated machine may need more than one question. */
  private static List<StreamLine> allEnds() {
    return Children.soon().until(RdmaFailoverRow::ends, all -> all.size() == ENDS);
  }

  /**
   * A ring that stays full overflows to TCP and comes back, so no moment finds all of them there.
   */
  private static void awaitMoreByTheRing() throws Exception {
    awaitMore("by the ring", StreamLine::ringOut);
  }

  /** No process waits for the device. */
  private void awaitTcp() throws Exception {
    await(
        "on TCP",
        () ->
            assertThat(ends())
                .hasSize(ENDS)
                .allMatch(e -> e.out().equals("plain") && e.in().equals("plain")));
    awaitMore("by TCP", StreamLine::plainOut);
    assertThat(ended())
        .as("large writes came from where they were")
        .anyMatch(e -> e.zeroCopies > 10);
  }

  private static void awaitMore(String way, ToLongFunction<StreamLine> sent) throws Exception {
    Map<String, Long> before =
        allEnds().stream().collect(Collectors.toMap(StreamLine::name, sent::applyAsLong));
    await(
        way,
        () ->
            assertThat(ends())
                .hasSize(ENDS)
                .allMatch(e -> sent.applyAsLong(e) > before.get(e.name()) + SOME));
  }

  private static void await(String what, ThrowingRunnable assertion) throws Exception {
    try {
      Children.soon().alias(what).untilAsserted(assertion);
    } catch (ConditionTimeoutException e) {
      showThreads();
      throw e;
    }
  }

  /** In the report. */
  private static void showThreads() throws Exception {
    server.signal("QUIT");
    client.signal("QUIT");
    Thread.sleep(3_000);
  }

  /** What a process says of a queue pair that it closes. */
  private record Ended(String cause, long zeroCopies) {}

  private List<Ended> ended() {
    return Stream.of(server, client)
        .flatMap(peer -> peer.errors().stream().skip(said.get(peer)))
        .map(ENDED::matcher)
        .filter(Matcher::find)
        .map(m -> new Ended(m.group(1), Long.parseLong(m.group(2))))
        .toList();
  }

  private static void run(String... words) throws Exception {
    Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
    boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    if (!ended) {
      showThreads();
    }
    assertThat(ended).as("%s ends", List.of(words)).isTrue();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.exitValue()).as(output).isZero();
  }
}
