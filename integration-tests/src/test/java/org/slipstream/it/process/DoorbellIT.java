package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;

/** What wakes a selector of another process: one pipe, or where that can not be had, TCP. */
class DoorbellIT {
  private static final int STREAMS = 100;

  /** Far less than a read for each stream, and far more than a wake-up costs. */
  private static final int FEW_READS = 30;

  private static final String ASLEEP = "-Dslipstream.spin.max=0";
  private static final String TCP = "-Dslipstream.doorbell=tcp";

  @RegisterExtension final Children children = new Children();

  /** A server whose selector echoes; returns its port. */
  private static int serve(Peer server) throws Exception {
    int port = Integer.parseInt(server.ask("listen l"));
    server.ask("serve l echoSelector");
    return port;
  }

  private static boolean haveDoorbell(List<StreamLine> streams, String doorbell) {
    return !streams.isEmpty()
        && streams.stream().allMatch(s -> s.onRing() && s.doorbell().equals(doorbell));
  }

  /** Single exchanges, so that the server sleeps before each. */
  private void awaitDoorbell(Peer server, Peer client, String prefix, int count, String doorbell) {
    Children.soon()
        .alias("the selector of process " + server.pid() + " is woken by " + doorbell)
        .until(() -> {
          for (int i = 0; i < count; i++) {
            client.ask("exchange " + prefix + i + " 1 100 " + i);
          }
          return haveDoorbell(children.streams(server), doorbell);
        });
  }

  /** Calls of {@code read} so far. */
  private static long reads(Peer peer) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + peer.pid() + "/io")).stream()
        .filter(line -> line.startsWith("syscr: "))
        .mapToLong(line -> Long.parseLong(line.substring("syscr: ".length())))
        .sum();
  }

  /** So many reads of the server does it cost that all streams become readable while it sleeps. */
  private long readsForACrowd(String doorbell, String... flags) throws Exception {
    List<Peer> pair = children.acceleratedPair(flags);
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    client.ask("connectMany c " + serve(server) + " " + STREAMS);
    awaitDoorbell(server, client, "c", STREAMS, doorbell);
    Children.soon().until(() -> Census.state(server.pid()) == 'S');
    server.stop();
    long before = reads(server);
    for (int i = 0; i < STREAMS; i++) {
      client.ask("write c" + i + " 50 " + i);
    }
    server.signal("CONT");
    for (int i = 0; i < STREAMS; i++) {
      client.ask("read c" + i + " 50 " + i);
    }
    assertThat(server.errors()).isEmpty();
    assertThat(client.errors()).isEmpty();
    return reads(server) - before;
  }

  @Test
  void aHundredStreamsThatBecomeReadableWakeASelectorOnce() throws Exception {
    assertThat(readsForACrowd("pipe", ASLEEP)).isLessThan(FEW_READS);
  }

  /** What the test above would count if each stream had a doorbell of its own. */
  @Test
  void withTheDoorbellOnTcpEachStreamIsReadFor() throws Exception {
    assertThat(readsForACrowd("tcp", ASLEEP, TCP)).isGreaterThanOrEqualTo(STREAMS);
  }

  @Test
  void aWriterThatMayNotUsePipesRingsByTcp() throws Exception {
    Peer server = children.accelerated(ASLEEP);
    Peer client = children.accelerated(ASLEEP, TCP);
    client.ask("connect c0 " + serve(server));
    children.upgrade(client, "c0");
    for (int i = 0; i < 20; i++) {
      client.ask("exchange c0 1 100 " + i);
    }
    assertThat(children.streams(server)).allMatch(s -> s.doorbell().equals("tcp"));
  }

  /** The number that the reader names is another process's there, or no process's. */
  @Test
  void aWriterInAnotherPidNamespaceRingsByTcp() throws Exception {
    List<String> elsewhere = List.of("unshare", "--pid", "--fork", "--mount-proc");
    require(
        new ProcessBuilder("unshare", "--pid", "--fork", "--mount-proc", "true").start().waitFor()
            == 0,
        "pid namespaces can not be made here");
    Peer server = children.accelerated(ASLEEP);
    Peer client = children.launch(children.acceleratedCommand(elsewhere, ASLEEP)).awaitReady();
    client.ask("connect c0 " + serve(server));
    Children.soon()
        .until(() -> {
          client.ask("exchange c0 1 100 1");
          return children.streams(server).stream().anyMatch(StreamLine::onRing);
        });
    for (int i = 0; i < 20; i++) {
      client.ask("exchange c0 1 100 " + i);
    }
    assertThat(children.streams(server)).allMatch(s -> s.doorbell().equals("tcp"));
    assertThat(server.errors()).isEmpty();
  }

  @Test
  void aSelectorThatSleepsHearsThatTheWriterWasKilled() throws Exception {
    Peer server = children.accelerated(ASLEEP);
    Peer client = children.accelerated(ASLEEP);
    Peer next = children.accelerated(ASLEEP);
    int port = serve(server);
    client.ask("connect c0 " + port);
    awaitDoorbell(server, client, "c", 1, "pipe");
    client.kill();
    Children.soon().until(() -> children.streams(server).isEmpty());
    next.ask("connect c0 " + port);
    awaitDoorbell(server, next, "c", 1, "pipe");
    assertThat(server.errors()).isEmpty();
  }

  @Test
  void aWriterWhoseReaderWasKilledSeesTheEndAndHoldsNoPipe() throws Exception {
    Peer server = children.accelerated(ASLEEP);
    Peer client = children.accelerated(ASLEEP);
    client.ask("connect c0 " + serve(server));
    awaitDoorbell(server, client, "c", 1, "pipe");
    String pipe = pipesOf(server).stream().filter(pipesOf(client)::contains).findAny().orElse("");
    assertThat(pipe).as("what both have open").startsWith("pipe:");
    CompletableFuture<String> reading = client.begin("readToEnd c0 1");
    server.kill();
    assertThat(Children.endWithinOneSecond(client, reading)).matches("(eof|reset) .*");
    Children.soon().until(() -> !pipesOf(client).contains(pipe));
    assertThat(client.errors()).isEmpty();
  }

  /** The reader's process is stopped, and its pipe and its ring take what they take. */
  @Test
  void aStoppedReaderBlocksNoWriterThatRings() throws Exception {
    Peer server = children.accelerated(ASLEEP);
    Peer client = children.accelerated(ASLEEP);
    client.ask("connect c0 " + serve(server));
    awaitDoorbell(server, client, "c", 1, "pipe");
    server.stop();
    CompletableFuture<String> writing = client.begin("write c0 100 1");
    client.result(writing, Patience.DEADLINE, "write");
    server.signal("CONT");
    client.ask("read c0 100 1");
  }

  /** Whatever else is in the pipe then, no stream may wait for a record that was torn. */
  @Test
  void halfARecordInThePipeSendsTheSelectorBackToTcp() throws Exception {
    List<Peer> pair = children.acceleratedPair(ASLEEP);
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    client.ask("connectMany c " + serve(server) + " 3");
    awaitDoorbell(server, client, "c", 3, "pipe");
    List<String> ofClient = pipesOf(client);
    try (var list = Files.list(Path.of("/proc/" + server.pid() + "/fd"))) {
      Path pipe = list.filter(fd -> ofClient.contains(target(fd))).findAny().orElseThrow();
      try (RandomAccessFile hostile = new RandomAccessFile(pipe.toFile(), "rw")) {
        hostile.write(new byte[3]);
      }
    }
    awaitDoorbell(server, client, "c", 3, "tcp");
    assertThat(server.errors()).isEmpty();
    assertThat(client.errors()).isEmpty();
  }

  private static List<String> pipesOf(Peer peer) throws IOException {
    try (var list = Files.list(Path.of("/proc/" + peer.pid() + "/fd"))) {
      return list.map(DoorbellIT::target).filter(t -> t.startsWith("pipe:")).toList();
    }
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }
}
