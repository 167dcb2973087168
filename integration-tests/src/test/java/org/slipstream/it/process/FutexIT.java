package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.process.AsleepPair.ASLEEP;
import static org.slipstream.it.process.AsleepPair.WATCHER;
import static org.slipstream.it.process.AsleepPair.asleep;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.stream.ControlBytes;

/** What wakes a thread of another process that is blocked in a read: a futex, or else TCP. */
class FutexIT {
  private static final String TCP = "-Dslipstream.doorbell=tcp";

  private static final int EXCHANGES = 1_000;

  /** Far less than one for each exchange. */
  private static final int FEW_READS = EXCHANGES / 5;

  private static final int SOME_MS = 100;

  @RegisterExtension final Children children = new Children();

  private Peer server;
  private Peer client;

  private void start(String... flags) throws Exception {
    List<Peer> pair = children.acceleratedPair(flags);
    server = pair.get(0);
    client = pair.get(1);
  }

  /** An echo whose threads block, and one connection to it. */
  private void connect() throws Exception {
    int port = Integer.parseInt(server.ask("listen l"));
    server.ask("serve l echo");
    client.ask("connect c " + port);
    children.upgrade(client, "c");
  }

  private void awaitFutex(Peer reader) {
    Children.soon()
        .alias("process " + reader.pid() + " is woken on a futex")
        .until(() -> {
          client.ask("exchange c 50 100 1");
          return AsleepPair.isWokenBy(children.streams(reader), "futex");
        });
  }

  /** Both ends by hand: no thread of the server reads unless it is told to. */
  private void byHand() throws Exception {
    AsleepPair pair = AsleepPair.onFutexes(children);
    server = pair.server;
    client = pair.client;
  }

  private static long reads(Peer peer) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + peer.pid() + "/io")).stream()
        .filter(line -> line.startsWith("syscr: "))
        .mapToLong(line -> Long.parseLong(line.substring("syscr: ".length())))
        .sum();
  }

  private long readsForExchanges() throws Exception {
    long before = reads(server);
    client.ask("exchange c " + EXCHANGES + " 100 1");
    return reads(server) - before;
  }

  @Test
  void theKernelIsCalledWithoutTheLinker(@TempDir Path logs) throws Exception {
    start(ASLEEP, AsleepPair.loadedInto(logs));
    connect();
    awaitFutex(client);
    AsleepPair.assertNothingLinked(logs, client);
  }

  @Test
  void aReaderThatSleepsOnAFutexReadsNothingFromTheConnection() throws Exception {
    start(ASLEEP);
    connect();
    awaitFutex(server);
    awaitFutex(client);
    assertThat(readsForExchanges()).isLessThan(FEW_READS);
    assertThat(server.errors()).isEmpty();
    assertThat(client.errors()).isEmpty();
  }

  /** What the test above would count if each wake-up were a byte. */
  @Test
  void withTheDoorbellOnTcpEachSleepReadsIt() throws Exception {
    start(ASLEEP, TCP);
    connect();
    assertThat(readsForExchanges()).isGreaterThan(2 * FEW_READS);
    assertThat(AsleepPair.isWokenBy(children.streams(server), "tcp")).isTrue();
    assertThat(server.threads()).doesNotContain(WATCHER);
  }

  /**
   * The kernel queues copies of segments for the process that asks for them, as we do for names of
   * connections, and says an error until they are taken. It is no reason for a read of the
   * connection, which would wait there for a doorbell that no writer owes.
   */
  @Test
  void whatIsInTheQueueOfErrorsWakesAReaderAndKeepsItFromNothing() throws Exception {
    byHand();
    CompletableFuture<String> reading = asleep(client, "read c 10 2");
    String local = children.streams(client).getFirst().local();
    int port = Integer.parseInt(local.substring(local.lastIndexOf(':') + 1));
    try (BorrowedSocket tcp = BorrowedSocket.ofPort(client.pid(), port)) {
      tcp.leaveCopyOf(ControlBytes.DOORBELL);
    }
    Thread.sleep(SOME_MS); // the reader has looked by now
    server.ask("write s 10 2");
    client.ok(reading, "a read, with something in the queue of errors");
  }

  @Test
  void theWatcherIsThereWhenAProcessHasSleptForAWhile() throws Exception {
    start(ASLEEP);
    int port = server.port("l");
    assertThat(server.threads()).doesNotContain(WATCHER);
    server.ask("serve l echo");
    client.ask("connect c " + port);
    awaitFutex(server);
    assertThat(server.threads()).contains(WATCHER);
  }

  @Test
  void theAgentAloneIsEnough() throws Exception {
    start(ASLEEP);
    connect();
    awaitFutex(server);
    assertThat(server.errors()).as("no warning of the JVM").isEmpty();
    assertThat(client.errors()).as("no warning of the JVM").isEmpty();
  }

  @Test
  void aWriterThatMayNotRingAFutexRingsByTcp() throws Exception {
    server = children.accelerated(ASLEEP);
    client = children.accelerated(ASLEEP, TCP);
    connect();
    client.ask("exchange c " + EXCHANGES + " 100 1");
    assertThat(AsleepPair.isWokenBy(children.streams(), "tcp")).isTrue();
    assertThat(server.threads()).doesNotContain(WATCHER);
  }

  @Test
  void aFutexWorksAcrossPidNamespaces() throws Exception {
    List<String> elsewhere = List.of("unshare", "--pid", "--fork", "--mount-proc");
    require(
        new ProcessBuilder("unshare", "--pid", "--fork", "--mount-proc", "true").start().waitFor()
            == 0,
        "pid namespaces can not be made here");
    server = children.accelerated(ASLEEP);
    client = children.launch(children.acceleratedCommand(elsewhere, ASLEEP)).awaitReady();
    int port = Integer.parseInt(server.ask("listen l"));
    server.ask("serve l echo");
    client.ask("connect c " + port);
    awaitFutex(server);
    assertThat(server.errors()).isEmpty();
  }

  @Test
  void theReaderHearsThatTheWriterWasKilled() throws Exception {
    byHand();
    CompletableFuture<String> reading = asleep(server, "readToEnd s 1");
    client.kill();
    assertThat(Children.endWithinOneSecond(server, reading)).matches("(eof|reset) .*");
    assertThat(server.errors()).isEmpty();
  }

  @Test
  void theClientHearsThatTheServerWasKilled() throws Exception {
    byHand();
    CompletableFuture<String> reading = asleep(client, "readToEnd c 1");
    server.kill();
    assertThat(Children.endWithinOneSecond(client, reading)).matches("(eof|reset) .*");
    assertThat(client.errors()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"shutdown", "close"})
  void theReaderHearsTheEnd(String how) throws Exception {
    byHand();
    CompletableFuture<String> reading = asleep(server, "readToEnd s 1");
    client.ask(how + " c");
    assertThat(Children.endWithinOneSecond(server, reading)).isEqualTo("eof 0");
  }

  @Test
  void theReaderIsWokenByItsOwnClose() throws Exception {
    byHand();
    CompletableFuture<String> reading = asleep(server, "read s 10 1");
    server.ask("close s");
    assertThat(server.resultWithinOneSecond(reading, "read"))
        .contains("AsynchronousCloseException");
  }

  /** A sleeping thread must not hold up the others: this needs all of them at a safepoint. */
  @Test
  void theStacksOfAllThreadsAreThereWhileOneSleeps() throws Exception {
    byHand();
    CompletableFuture<String> reading = asleep(server, "read s 10 1");
    assertThat(server.okWithinOneSecond(server.begin("threads"), "threads")).contains(WATCHER);
    assertThat(reading).isNotDone();
    client.ask("write c 10 1");
    server.ok(reading, "read");
  }

  /** The reader's process is stopped, and its ring takes what it takes. */
  @Test
  void aStoppedReaderBlocksNoWriterThatRings() throws Exception {
    byHand();
    CompletableFuture<String> reading = asleep(server, "read s 100 1");
    server.stop();
    client.ask("write c 100 1");
    server.signal("CONT");
    server.ok(reading, "read");
  }
}
