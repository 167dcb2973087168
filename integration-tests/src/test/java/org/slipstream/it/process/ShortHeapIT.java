package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Patience;

/**
 * A process whose heap is full for a moment. Its control thread lives on, no byte is lost, and new
 * streams leave the kernel as before.
 */
class ShortHeapIT {
  private static final String CONTROL = "slipstream-control";

  /** So many streams in a row for which the control thread allocated less than was asked for. */
  private static final int ENOUGH = 3;

  private static final int STEP = 4;

  /** A session takes hundreds: one for each of the windows of a slab. */
  private static final int SESSION_STEP = Integer.getInteger("slipstream.test.step", 7);

  /** A thread of a program allocates for as long as there are messages. */
  private static final int MOST = 200;

  @RegisterExtension final Children children = new Children();

  @TempDir private Path directory;

  private Peer client;
  private Peer server;
  private int port;

  private Peer begin(String poor) throws Exception {
    String agent = "-javaagent:" + ShortHeapAgent.jar(directory.resolve("short-heap.jar"));
    String soon = "-Dslipstream.test.hold=0"; // whatever became of the brief streams before
    server = poor.equals("server") ? children.accelerated(agent) : children.accelerated();
    client = poor.equals("client") ? children.accelerated(soon, agent) : children.accelerated(soon);
    port = server.echo("l");
    join("first");
    return poor.equals("server") ? server : client;
  }

  private void join(String stream) throws Exception {
    client.ask("connect " + stream + " " + port);
    children.upgrade(client, stream);
    client.ask("close " + stream);
  }

  @ParameterizedTest
  @ValueSource(strings = {"client", "server"})
  void anyAllocationOfTheControlThreadMayFailOnce(String poor) throws Exception {
    Peer peer = begin(poor);
    int unharmed = 0;
    int failures = 0;
    for (int skip = 0; unharmed < ENOUGH; skip++) {
      peer.ask("failAllocations " + CONTROL + " " + skip + " 1");
      join("s" + skip);
      int failed = Integer.parseInt(peer.ask("endFailures"));
      failures += failed;
      unharmed = failed == 0 ? unharmed + 1 : 0;
    }
    assertThat(failures).isGreaterThan(20);
  }

  /** The session ends in each turn, with a stream on it or none, and another one is made. */
  @ParameterizedTest
  @CsvSource({"client, true", "client, false", "server, true", "server, false"})
  void anyAllocationMayFailWhileASessionEndsAndAnotherOneIsMade(String poor, boolean lost)
      throws Exception {
    Peer peer = begin(poor);
    int unharmed = 0;
    int failures = 0;
    for (int skip = 0; unharmed < ENOUGH; skip += SESSION_STEP) {
      if (lost) {
        client.ask("connect c " + port);
        children.upgrade(client, "c");
      }
      peer.ask("failAllocations " + CONTROL + " " + skip + " 1");
      cutSessions();
      if (!lost) {
        client.ask("connect c " + port);
      }
      exchangeUntilThereIsASession();
      children.upgrade(client, "c");
      client.ask("close c");
      int failed = Integer.parseInt(peer.ask("endFailures"));
      failures += failed;
      unharmed = failed == 0 ? unharmed + 1 : 0;
    }
    assertThat(failures).isGreaterThan(50);
  }

  /** One that just ends can not be borrowed; the failure of the turn before may have ended it. */
  private void cutSessions() {
    Children.soon()
        .untilAsserted(() -> {
          if (SessionKnife.hasSessions(server.pid(), children.directory())) {
            SessionKnife.cutAll(server.pid(), children.directory());
          }
        });
  }

  private void exchangeUntilThereIsASession() {
    Children.soon()
        .untilAsserted(() -> {
          client.ask("exchange c 20 3000 1");
          assertThat(SessionKnife.hasSessions(server.pid(), children.directory()))
              .as("a session for %s", children.streams())
              .isTrue();
        });
  }

  /** As of a heap that stays full: none succeeds until it has room again. */
  @ParameterizedTest
  @ValueSource(strings = {"client", "server"})
  void allAllocationsOfTheControlThreadMayFailForAWhile(String poor) throws Exception {
    Peer peer = begin(poor);
    int unharmed = 0;
    for (int skip = 0; unharmed < ENOUGH; skip += STEP) {
      peer.ask("failAllocations " + CONTROL + " " + skip + " " + Integer.MAX_VALUE);
      client.ask("connect poor" + skip + " " + port);
      for (int i = 0; i < 10; i++) {
        client.ask("exchange poor" + skip + " 10 3000 " + i);
        Thread.sleep(10);
      }
      unharmed = peer.ask("endFailures").equals("0") ? unharmed + 1 : 0;
      client.ask("exchange poor" + skip + " 10 3000 1");
      client.ask("close poor" + skip);
      join("rich" + skip);
    }
  }

  /** A program's own thread, in our selector or group: it does again what failed. */
  private void beginPatient(String habit) throws Exception {
    String agent = "-javaagent:" + ShortHeapAgent.jar(directory.resolve("short-heap.jar"));
    server = children.accelerated(agent);
    client = children.accelerated();
    if (habit.equals("selector")) {
      port = Integer.parseInt(server.ask("listen l 0"));
      server.ask("serve l echoPatiently");
    } else {
      port = Integer.parseInt(server.ask("echoAsynchronously"));
    }
    join("first");
  }

  @ParameterizedTest
  @ValueSource(strings = {"selector", "group"})
  void anyAllocationOfAServersThreadMayFailOnceBehindTheAccept(String habit) throws Exception {
    beginPatient(habit);
    int unharmed = 0;
    int failures = 0;
    for (int skip = 0; unharmed < ENOUGH; skip++) {
      client.ask("connect s " + port);
      client.ask("exchange s 1 10 1");
      server.ask("failAllocations " + PatientServers.THREAD + " " + skip + " 1");
      children.upgrade(client, "s");
      for (int i = 0; i < 3; i++) {
        Thread.sleep(3); // it sleeps, and is rung for
        client.ask("exchange s 2 3000 " + i);
      }
      client.ask("close s");
      int failed = Integer.parseInt(server.ask("endFailures"));
      failures += failed;
      unharmed = failed == 0 || skip > MOST ? unharmed + 1 : 0;
    }
    assertThat(failures).isGreaterThan(20);
    join("last");
  }

  @ParameterizedTest
  @ValueSource(strings = {"selector", "group"})
  void allAllocationsOfAServersThreadMayFailForAWhile(String habit) throws Exception {
    beginPatient(habit);
    for (int skip = 0; skip < MOST; skip += STEP) {
      client.ask("connect s " + port);
      client.ask("exchange s 1 10 1");
      server.ask("failAllocations " + PatientServers.THREAD + " " + skip + " " + Integer.MAX_VALUE);
      CompletableFuture<String> exchanged = client.begin("exchange s 20 3000 1");
      Thread.sleep(30);
      server.ask("endFailures");
      assertThat(client.ok(exchanged, "the exchange")).isEmpty();
      children.upgrade(client, "s");
      client.ask("close s");
    }
    join("last");
  }

  @Test
  void aServerWhoseHeapIsFullAgainAndAgainStaysOnTheRing() throws Exception {
    server = children.accelerated("-Xmx48m");
    client = children.accelerated();
    port = server.echo("l");
    join("first");
    client.ask("connect c " + port);
    children.upgrade(client, "c");
    CompletableFuture<String> filled = server.begin("fillHeap 3000");
    boolean served = true; // the thread that serves it may run out of memory, as any program's
    while (!filled.isDone()) {
      served = served && exchanged();
      children.streams(); // each process is asked, which needs memory there
    }
    assertThat(Integer.parseInt(server.ok(filled, "fillHeap"))).isGreaterThan(3);
    client.ask("close c");
    join("last");
  }

  private boolean exchanged() throws Exception {
    String answer =
        client.result(client.begin("exchange c 100 3000 1"), Patience.DEADLINE, "an exchange");
    assertThat(answer).matches("ok.*|error java.net.SocketException.*|error .*(EOF|end|closed).*");
    return answer.startsWith("ok");
  }
}
