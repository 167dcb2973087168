package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.process.AsleepPair.ASLEEP;
import static org.slipstream.it.process.AsleepPair.WATCHER;
import static org.slipstream.it.process.AsleepPair.asleep;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.shm.ProcessInspector;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.ControlLayout;

/** What goes wrong while a thread sleeps on a futex in memory that another process can spoil. */
class FutexFaultsIT {
  /** In a slab of 64 windows, the control blocks come before the rings. */
  private static final int WINDOWS = 64;

  @RegisterExtension final Children children = new Children();

  private AsleepPair pair;
  private Peer server;
  private Peer client;

  private void onFutexes() throws Exception {
    use(AsleepPair.onFutexes(children));
  }

  private void use(AsleepPair connected) {
    pair = connected;
    server = connected.server;
    client = connected.client;
  }

  // -- the word is gone ------------------------------------------------------------------------

  private Set<Path> slabs() throws IOException {
    Set<Path> all = new HashSet<>(children.slabs(server));
    all.addAll(children.slabs(client));
    assertThat(all).isNotEmpty();
    return all;
  }

  private void truncate() throws IOException {
    for (Path slab : slabs()) {
      try (RandomAccessFile file = new RandomAccessFile(slab.toFile(), "rw")) {
        file.setLength(0);
      }
    }
  }

  /** The kernel finds no thread by a word that it can not find. */
  @ParameterizedTest
  @ValueSource(strings = {"shutdown", "close", "kill"})
  void aReaderWhoseWindowWasTruncatedHearsTheEnd(String how) throws Exception {
    onFutexes();
    CompletableFuture<String> reading = asleep(server, "readToEnd s 1");
    truncate();
    if (how.equals("kill")) {
      client.kill();
    } else {
      client.result(client.begin(how + " c"), Patience.DEADLINE, how);
    }
    assertThat(Children.endWithinOneSecond(server, reading)).matches("(eof|reset) .*");
    server.result(server.begin("close s"), Patience.DEADLINE, "close");
    assertThat(server.errors()).isEmpty();
  }

  @Test
  void aReaderWhoseWindowWasTruncatedIsWokenByItsOwnClose() throws Exception {
    onFutexes();
    CompletableFuture<String> reading = asleep(server, "read s 10 1");
    truncate();
    assertThat(server.resultWithinOneSecond(server.begin("close s"), "close")).isEqualTo("ok");
    assertThat(server.resultWithinOneSecond(reading, "read")).startsWith("error java.");
  }

  /** Its process sees the fault where it increments the word at the latest. */
  @Test
  void aWriterWhosePeersWindowWasTruncatedGetsAnIoExceptionAndTheReaderTheEnd() throws Exception {
    onFutexes();
    CompletableFuture<String> reading = asleep(server, "readToEnd s 1");
    truncate();
    assertThat(client.result(client.begin("write c 10 1"), Patience.DEADLINE, "write"))
        .startsWith("error java.io.IOException");
    assertThat(client.result(client.begin("close c"), Patience.DEADLINE, "close")).isEqualTo("ok");
    assertThat(Children.endWithinOneSecond(server, reading)).matches("(eof|reset) .*");
  }

  // -- the writer is gone ----------------------------------------------------------------------

  /** What a writer does that is killed before it wakes. */
  private void incrementOnly() throws IOException {
    for (Path slab : slabs()) {
      try (RandomAccessFile file = new RandomAccessFile(slab.toFile(), "rw")) {
        for (int window = 0; window < WINDOWS; window++) {
          long word = (long) window * ControlLayout.BYTES + ControlLayout.DOORBELL_FUTEX;
          file.seek(word);
          int value = Integer.reverseBytes(file.readInt());
          file.seek(word);
          file.writeInt(Integer.reverseBytes(value + 1));
        }
      }
    }
  }

  @Test
  void theReaderHearsOfAWriterThatWasKilledBeforeItWoke() throws Exception {
    onFutexes();
    CompletableFuture<String> reading = asleep(server, "readToEnd s 1");
    client.stop();
    incrementOnly();
    client.kill();
    assertThat(Children.endWithinOneSecond(server, reading)).matches("(eof|reset) .*");
  }

  @Test
  void aWriterThatWasStoppedBeforeItWokeWakesWithItsNextByte() throws Exception {
    onFutexes();
    CompletableFuture<String> reading = asleep(server, "read s 10 1");
    client.stop();
    incrementOnly();
    client.signal("CONT");
    client.ask("write c 10 1");
    server.okWithinOneSecond(reading, "read");
    pair.exchange();
  }

  // -- the link is gone ------------------------------------------------------------------------

  private void command(String question) {
    Children.soon()
        .until(() -> ProcessInspector.ask(children.directory().toString(), question).size() == 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"reader", "writer", "both"})
  void aSleepingReaderFollowsTheKillSwitchToTcpAndBack(String end) throws Exception {
    onFutexes();
    CompletableFuture<String> reading = asleep(server, "read s 20 1");
    CompletableFuture<String> answering = asleep(client, "read c 20 2");
    command(
        switch (end) {
          case "reader" -> "off " + server.pid();
          case "writer" -> "off " + client.pid();
          default -> "off";
        });
    Children.soon()
        .atMost(Patience.promptly())
        .until(() -> children.streams().stream().noneMatch(StreamLine::onRing));
    client.ask("write c 20 1");
    server.okWithinOneSecond(reading, "read");
    server.ask("write s 20 2");
    client.okWithinOneSecond(answering, "read");
    command("on");
    assertThat(server.errors()).isEmpty();
    assertThat(client.errors()).isEmpty();
  }

  @Test
  void aSleepingReaderGetsEveryByteAfterItsLinkWasLost() throws Exception {
    onFutexes();
    CompletableFuture<String> reading = asleep(server, "read s 20 1");
    CompletableFuture<String> answering = asleep(client, "read c 20 2");
    SessionKnife.cutAll(server.pid(), children.directory());
    client.ask("write c 20 1");
    server.okWithinOneSecond(reading, "read");
    server.ask("write s 20 2");
    client.okWithinOneSecond(answering, "read");
    children.toTheRing(client, "c", server, "s");
    pair.awaitFutex(server);
    pair.awaitFutex(client);
  }

  // -- the kernel refuses ----------------------------------------------------------------------

  private static List<String> descriptors(int limit) {
    return List.of("bash", "-c", "ulimit -n " + limit + "; exec \"$@\"", "sh");
  }

  /** The watcher asks again: descriptors are short for a while. */
  @Test
  void aReaderWithoutADescriptorForItsWatcherIsWokenByTcpUntilThereIsOne() throws Exception {
    Peer poor = children.launch(children.acceleratedCommand(descriptors(64), ASLEEP)).awaitReady();
    Peer rich = children.accelerated(ASLEEP);
    children.warm(poor);
    int sink = children.plain().echo("sink");
    use(AsleepPair.connect(children, poor, rich));
    assertThat(poor.streams()).hasSize(1); // loads what that needs
    assertThat(poor.ask("connectMany taken " + sink + " 100")).contains("Too many open files");

    Children.soon()
        .until(() -> {
          pair.exchange();
          return poor.threads().contains(WATCHER);
        });
    pair.exchange();

    // Not from outside, which would take a descriptor.
    assertThat(AsleepPair.isWokenBy(poor.streams(), "tcp")).isTrue();
    poor.ask("closeMany taken");
    pair.awaitFutex(poor);
    assertThat(poor.errors()).isEmpty();
  }

  /** A filter of system calls, as a service manager sets it: 0 is a sleep, 1 a wake-up. */
  @ParameterizedTest
  @ValueSource(strings = {"0", "1"})
  void whereTheKernelRefusesAFutexTcpWakes(String operation) throws Exception {
    List<String> filter =
        List.of(
            Children.JAVA,
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            Children.classes(),
            FutexFilter.class.getName(),
            operation);
    Peer filtered = children.launch(children.acceleratedCommand(filter, ASLEEP)).awaitReady();
    use(AsleepPair.connect(children, filtered, children.accelerated(ASLEEP)));
    for (int i = 0; i < 4; i++) {
      pair.exchange();
    }
    assertThat(AsleepPair.isWokenBy(children.streams(filtered), "tcp")).isTrue();
    assertThat(AsleepPair.isWokenBy(children.streams(client), "tcp")).isTrue();
    assertThat(filtered.threads()).doesNotContain(WATCHER);
    assertThat(filtered.errors()).isEmpty();
    CompletableFuture<String> reading = filtered.begin("readToEnd s 1");
    client.kill();
    assertThat(Children.endWithinOneSecond(filtered, reading)).matches("(eof|reset) .*");
  }
}
