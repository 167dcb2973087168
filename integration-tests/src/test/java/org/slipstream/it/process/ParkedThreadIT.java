package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.process.AsleepPair.isWokenBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.shm.ProcessInspector;
import org.slipstream.testkit.Patience;

/**
 * What wakes a virtual thread of another process that is blocked in a read: a record in the pipe of
 * that process, or else TCP. On a futex it would hold its carrier.
 */
class ParkedThreadIT {
  private static final int CROWD = 500;

  /** A reader that was kept off its core may be woken between two pieces of a message. */
  private static final int FEW = CROWD / 20;

  @RegisterExtension final Children children = new Children();

  private Peer server;
  private Peer client;

  /** The reader of the server is a virtual thread that sleeps. */
  private void parked() throws Exception {
    AsleepPair pair = AsleepPair.onFutexes(children);
    server = pair.server;
    client = pair.client;
    Children.soon()
        .until(() -> {
          for (int i = 0; i < 20; i++) {
            CompletableFuture<String> reading = server.begin("readVirtual s 10 1");
            client.ask("write c 10 1");
            server.ok(reading, "readVirtual");
          }
          return children.stream(server).doorbell().equals("pipe");
        });
  }

  /** Parked, which takes no time that a test could wait for: none of the looks finds a carrier. */
  private CompletableFuture<String> asleep(String command) throws Exception {
    CompletableFuture<String> reading = server.begin(command);
    for (int i = 0; i < 5; i++) {
      assertThat(server.ask("threads Futex")).isEqualTo("0");
    }
    assertThat(reading).isNotDone();
    return reading;
  }

  @Test
  void itIsWokenByThePipe() throws Exception {
    parked();
    CompletableFuture<String> reading = asleep("readVirtual s 10 1");
    client.ask("write c 10 1");
    server.ok(reading, "readVirtual");
    assertThat(children.stream(server).doorbell()).isEqualTo("pipe");
    assertThat(server.errors()).as("no warning of the JVM").isEmpty();
    assertThat(client.errors()).isEmpty();
  }

  @Test
  void platformAndVirtualThreadsReadInTurns() throws Exception {
    parked();
    for (int i = 0; i < 50; i++) {
      String command = i % 2 == 0 ? "read" : "readVirtual";
      CompletableFuture<String> reading = server.begin(command + " s 10 1");
      client.ask("write c 10 1");
      server.ok(reading, command);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"shutdown", "close", "kill"})
  void itHearsTheEnd(String how) throws Exception {
    parked();
    CompletableFuture<String> reading = asleep("readToEndVirtual s 1");
    if (how.equals("kill")) {
      client.kill();
    } else {
      client.ask(how + " c");
    }
    assertThat(Children.endWithinOneSecond(server, reading)).matches("(eof|reset) .*");
    assertThat(server.errors()).isEmpty();
  }

  @Test
  void itIsWokenByItsOwnClose() throws Exception {
    parked();
    CompletableFuture<String> reading = asleep("readVirtual s 10 1");
    server.ask("close s");
    assertThat(server.resultWithinOneSecond(reading, "readVirtual"))
        .contains("AsynchronousCloseException");
  }

  @Test
  void itFollowsTheKillSwitchToTcp() throws Exception {
    parked();
    CompletableFuture<String> reading = asleep("readVirtual s 20 1");
    Children.soon()
        .until(() -> ProcessInspector.ask(children.directory().toString(), "off").size() == 2);
    Children.soon()
        .atMost(Patience.promptly())
        .until(() -> children.streams().stream().noneMatch(StreamLine::onRing));
    client.ask("write c 20 1");
    server.okWithinOneSecond(reading, "readVirtual");
  }

  @Test
  void itGetsEveryByteAfterItsLinkWasLost() throws Exception {
    parked();
    CompletableFuture<String> reading = asleep("readVirtual s 20 1");
    SessionKnife.cutAll(server.pid(), children.directory());
    client.ask("write c 20 1");
    server.okWithinOneSecond(reading, "readVirtual");
  }

  @Test
  void aStoppedReaderBlocksNoWriterThatRings() throws Exception {
    parked();
    CompletableFuture<String> reading = asleep("readVirtual s 100 1");
    server.stop();
    client.ask("write c 100 1");
    server.signal("CONT");
    server.ok(reading, "readVirtual");
  }

  private long wakeUps() throws IOException {
    for (String answer : ProcessInspector.ask(children.directory().toString(), "totals")) {
      ProcessStatus totals = ProcessStatus.parse(answer).orElseThrow();
      if (totals.number("pid") == server.pid()) {
        return totals.number("wakeUps");
      }
    }
    throw new AssertionError("the server did not answer");
  }

  /** No descriptor for a stream or a thread, and no thread more. */
  @Test
  void onePipeWakesThemAll() throws Exception {
    List<Peer> pair = children.acceleratedPair(AsleepPair.ASLEEP, "-Xmx512m");
    server = pair.get(0);
    client = pair.get(1);
    Duration patience = Patience.LONG;
    int port = server.port("l");
    server.ask("serve l echoVirtual");
    client.ask("connectMany c " + port + " " + CROWD, patience);
    Children.soon()
        .atMost(patience)
        .until(() -> {
          client.ask("exchangeMany c 3 500", patience);
          return isWokenBy(children.streams(server), "pipe");
        });
    final List<String> threads = server.threads();
    final List<String> descriptors = Census.descriptors(server.pid(), children.home());
    final long before = wakeUps();

    client.ask("exchangeMany c 1 500", patience);

    Children.soon().until(() -> wakeUps() - before >= CROWD);
    assertThat(wakeUps() - before).isBetween((long) CROWD, (long) CROWD + FEW);
    assertThat(server.threads()).isEqualTo(threads);
    assertThat(Census.descriptors(server.pid(), children.home())).isEqualTo(descriptors);
    client.ask("closeMany c", patience);
    Children.soon().atMost(patience).until(() -> children.streams().isEmpty());
    assertThat(server.errors()).isEmpty();
    assertThat(client.errors()).isEmpty();
  }
}
