package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Patience;

/**
 * Unmodified programs on two nodes of a loopback SISCI fabric; {@link NtbCutsIT} cuts the link
 * between them again and again.
 */
class NtbNodesIT {
  private static final int HOLES = Integer.getInteger("slipstream.test.holes", 20);

  /** Windows are in segments that are larger than those of advertisements and sessions. */
  private static final int SLAB_BYTES = 128 * 1024;

  @RegisterExtension final Children children = new Children();

  @ParameterizedTest
  @CsvSource({
    "loopback, direct, echo, 256k",
    "loopback, direct, echoSelector, 256k",
    "loopback, deferred, echo, 16k",
    "permuted, deferred, echoSelector, 16k"
  })
  void bytesOfRandomSizesTravelOverTheFabricBothWays(
      String variant, String stores, String habit, String ring) throws Exception {
    Nodes nodes = new Nodes(children, variant, stores);
    String only = "-Dslipstream.transports=ntb";
    Peer server = nodes.start(8, "-Dslipstream.ring.size=" + ring, only);
    Peer client = nodes.start(4, "-Dslipstream.ring.size=" + ring, only);
    int port = nodes.serve(server, 8, habit);
    client.ask("connect c " + port + " " + Nodes.address(8));
    nodes.upgrade(client, "c", 2);
    nodes.carryMost(client, "exchange c 300 10000 42");
    assertThat(nodes.streams()).allMatch(s -> s.ringIn() > 0 && s.ringOut() > 0);
    assertThat(client.end()).isZero();
    assertThat(server.end()).isZero();
    assertThat(client.errors()).isEmpty();
    assertThat(server.errors()).isEmpty();
  }

  /** Traffic of a client without a pause, and a fault meanwhile, until that has been felt. */
  private static void talkUntil(
      Peer client, int seed, String what, Runnable fault, Callable<Boolean> felt) throws Exception {
    String command = "exchange c 400 4000 " + seed;
    AtomicReference<CompletableFuture<String>> traffic =
        new AtomicReference<>(client.begin(command));
    fault.run();
    Children.soon()
        .alias(what)
        .until(() -> {
          if (traffic.get().isDone()) {
            client.ok(traffic.get(), what);
            traffic.set(client.begin(command));
          }
          return felt.call();
        });
    client.ok(traffic.get(), what);
  }

  @Test
  void processesWithTheSameKeyMeet() throws Exception {
    Nodes nodes = new Nodes(children, "loopback", "direct");
    Path key = key("key", "0123456789abcdef0123456789abcdef");
    Peer server = nodes.start(8, "-Dslipstream.ntb.key=" + key);
    Peer client = nodes.start(4, "-Dslipstream.ntb.key=" + key);
    int port = nodes.serve(server, 8, "echo");
    client.ask("connect c " + port + " " + Nodes.address(8));
    nodes.upgrade(client, "c", 2);
    client.ask("exchange c 100 10000 42");
  }

  /** The end that connects says why; the other one hears nothing of it. */
  @Test
  void processesWithDifferentKeysStayPlainAndSayWhy() throws Exception {
    Nodes nodes = new Nodes(children, "loopback", "direct");
    Peer server =
        nodes.start(8, "-Dslipstream.ntb.key=" + key("a", "0123456789abcdef0123456789abcdef"));
    Peer client =
        nodes.start(4, "-Dslipstream.ntb.key=" + key("b", "0123456789abcdef0123456789abcdeX"));
    int port = nodes.serve(server, 8, "echo");
    client.ask("connect c " + port + " " + Nodes.address(8));
    Children.soon()
        .untilAsserted(() -> {
          client.ask("exchange c 200 2000 42");
          assertThat(nodes.streams())
              .filteredOn(s -> s.pid() == client.pid())
              .extracting(StreamLine::reason)
              .containsExactly("KEY_MISMATCH");
        });
    assertThat(nodes.streams()).hasSize(2).allMatch(s -> s.ringBytes() == 0);
    assertThat(server.errors()).isEmpty();
    assertThat(client.errors()).isEmpty();
  }

  /** It says so when it starts, and so do its peers, which would take it for a stock program. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aProcessWhoseKeyCanNotBeReadIsKnownToHaveNone(boolean trusted) throws Exception {
    Nodes nodes = new Nodes(children, "loopback", "direct");
    Peer server = nodes.start(8, "-Dslipstream.ntb.key=/no/such/key");
    String key = trusted ? "trusted" : key("a", "0123456789abcdef0123456789abcdef").toString();
    Peer client = nodes.start(4, "-Dslipstream.ntb.key=" + key);
    int port = nodes.serve(server, 8, "echo");
    client.ask("connect c " + port + " " + Nodes.address(8));
    Children.soon()
        .untilAsserted(() -> {
          client.ask("exchange c 200 2000 42");
          assertThat(nodes.streams())
              .filteredOn(s -> s.pid() == client.pid())
              .extracting(StreamLine::reason)
              .containsExactly("KEY_MISMATCH");
        });
    Tool.Said sessions =
        Tool.run(
            List.of(), "ps", "--sessions", "--dir", children.home().resolve("run-4").toString());
    assertThat(sessions.text())
        .containsPattern("ntb .*refused .*the peer has no slipstream.key that it can use");
    assertThat(nodes.streams()).allMatch(s -> s.ringBytes() == 0);
    assertThat(server.errors())
        .anyMatch(line -> line.contains("slipstream.ntb.key=/no/such/key does not exist"));
    assertThat(client.errors()).isEmpty();
  }

  private Path key(String name, String content) throws Exception {
    Path file = Files.writeString(children.home().resolve(name), content);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void aKilledPeerIsNoticedAndTheNextOneIsFound() throws Exception {
    Nodes nodes = new Nodes(children, "loopback", "direct");
    Peer server = nodes.start(8);
    Peer client = nodes.start(4);
    int port = nodes.serve(server, 8, "echo");
    client.ask("connect c " + port + " " + Nodes.address(8));
    nodes.upgrade(client, "c", 2);
    CompletableFuture<String> reading = client.begin("readToEnd c 1");
    server.kill();
    assertThat(reading.get(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS)).isNotEmpty();
    // And the survivor serves others as before.
    Peer other = nodes.start(8);
    int again = nodes.serve(other, 8, "echo");
    client.ask("close c");
    client.ask("connect d " + again + " " + Nodes.address(8));
    nodes.upgrade(client, "d", 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"echo", "echoSelector"})
  void twoNodesThatMapOneFile(String habit) throws Exception {
    Nodes nodes = new Nodes(children, 32 << 20);
    Peer server = nodes.start(8);
    Peer client = nodes.start(4);
    int port = nodes.serve(server, 8, habit);
    client.ask("connect c " + port + " " + Nodes.address(8));
    nodes.upgrade(client, "c", 2);
    nodes.carryMost(client, "exchange c 300 10000 42");
    assertThat(client.end()).isZero();
    assertThat(server.end()).isZero();
    assertThat(client.errors()).isEmpty();
    assertThat(server.errors()).isEmpty();
  }

  @Test
  void aProcessThatStartsAgainTakesItsHalfOfTheFile() throws Exception {
    Nodes nodes = new Nodes(children, 32 << 20);
    Peer client = nodes.start(4);
    for (int round = 0; round < 3; round++) {
      Peer server = nodes.start(8);
      int port = nodes.serve(server, 8, "echo");
      client.ask("connect c" + round + " " + port + " " + Nodes.address(8));
      nodes.upgrade(client, "c" + round, 2);
      client.ask("close c" + round);
      server.kill();
    }
  }

  /** The windows of both ends, one after the other. */
  @Test
  void segmentsThatAreTakenAwayUnderLoadCostNoByte() throws Exception {
    Nodes nodes = new Nodes(children, "loopback", "deferred");
    Peer server = nodes.start(8);
    Peer client = nodes.start(4);
    int port = nodes.serve(server, 8, "echo");
    client.ask("connect c " + port + " " + Nodes.address(8));
    for (int i = 0; i < HOLES; i++) {
      nodes.upgrade(client, "c", 2);
      int before = nodes.failovers();
      int node = i % 2 == 0 ? 8 : 4;
      talkUntil(
          client,
          i,
          "exchange without segments " + i,
          () -> nodes.loseSegments(node, SLAB_BYTES),
          () -> nodes.failovers() > before);
    }
    nodes.upgrade(client, "c", 2);
    assertThat(nodes.total("sessionsEnded")).as("at both nodes").isGreaterThanOrEqualTo(HOLES);
    assertThat(nodes.total("returns")).as("at both nodes").isGreaterThanOrEqualTo(HOLES);
    assertThat(client.errors()).isEmpty();
    assertThat(server.errors()).isEmpty();
  }

  /** The hosts file names two ways, the preferred one first. */
  @Test
  void theSecondWayIsTakenWhileTheFirstIsDown() throws Exception {
    Nodes nodes = new Nodes(children, "loopback", "direct").withTwoWays();
    Peer server = nodes.start(8);
    Peer client = nodes.start(4);
    int port = nodes.serve(server, 8, "echo");
    nodes.setLink(Nodes.second(8), false);
    client.ask("connect c " + port + " " + Nodes.address(8));
    nodes.upgrade(client, "c", 2);
    nodes.setLink(8, false);
    // There is no way left by which an end could learn that its peer lives: only traffic moves it.
    Children.soon()
        .untilAsserted(() -> {
          client.ask("exchange c 20 2000 1");
          assertThat(nodes.streams()).noneMatch(StreamLine::onRing);
        });
    nodes.setLink(Nodes.second(8), true);
    nodes.upgrade(client, "c", 2);
    client.ask("exchange c 100 10000 42");
    assertThat(client.errors()).isEmpty();
    assertThat(server.errors()).isEmpty();
  }

  /**
   * Stores vanish on a link that stays up, and everything behind them arrives: only the checksum
   * beside the position tells the reader, and only a sequence check tells the writer.
   */
  @ParameterizedTest(name = "readers look for {0} microseconds")
  @ValueSource(ints = {0, 100, 10_000})
  void holesInTheDataAreNeverReadAndAreFilledFromTheCopy(int spin) throws Exception {
    Nodes nodes = new Nodes(children, "permuted", "deferred");
    String[] flags = {"-Dslipstream.ring.size=16k", "-Dslipstream.spin.max=" + spin};
    Peer server = nodes.start(8, flags);
    Peer client = nodes.start(4, flags);
    int port = nodes.serve(server, 8, "echo");
    client.ask("connect c " + port + " " + Nodes.address(8));
    for (int hole = 0; hole < HOLES; hole++) {
      nodes.upgrade(client, "c", 2);
      int lines = 1 + hole % 5;
      int skip = 100 + 37 * hole;
      talkUntil(
          client,
          hole,
          "exchange with hole " + hole,
          () -> nodes.loseLines(skip, lines),
          () -> nodes.linesToLose() < lines);
      nodes.loseLines(0, 0);
    }
    nodes.upgrade(client, "c", 2);
    assertThat(client.errors()).isEmpty();
    assertThat(server.errors()).isEmpty();
  }

  /** Then only the reader can know: its position has arrived, and the bytes do not come. */
  @Test
  void holesThatTheDriverDoesNotNoticeEndTheLinkToo() throws Exception {
    Nodes nodes = new Nodes(children, "loopback", "deferred");
    Peer server = nodes.start(8, "-Dslipstream.ring.size=16k");
    Peer client = nodes.start(4, "-Dslipstream.ring.size=16k");
    int port = nodes.serve(server, 8, "echo");
    client.ask("connect c " + port + " " + Nodes.address(8));
    nodes.hideLosses();
    for (int hole = 0; hole < 3; hole++) {
      nodes.upgrade(client, "c", 2);
      int skip = 200 + 37 * hole;
      talkUntil(
          client,
          hole,
          "exchange with hole " + hole,
          () -> nodes.loseLines(skip, 1),
          () -> nodes.linesToLose() == 0);
    }
    nodes.upgrade(client, "c", 2);
  }

  @Test
  void theDoctorSaysWhichNodesThereAre() throws Exception {
    Nodes nodes = new Nodes(children, "loopback", "direct");
    assertThat(nodes.doctor(4))
        .containsPattern("ntb +available: .*version 2\\..*; adapter 0 is node 4, link up")
        .contains("works: node 8 answers through adapter 0");
    nodes.setLink(8, false);
    assertThat(nodes.doctor(4)).contains("does not work: node 8 does not answer");
    nodes.setLink(8, true);
    nodes.setLink(4, false);
    assertThat(nodes.doctor(4)).contains("adapter 0 is node 4, link down");
    nodes.setLink(4, true);
  }

  /** Whatever a check says but OK: the bytes without credit are sent again, and the link is new. */
  @ParameterizedTest
  @CsvSource({"1, commit", "2, commit", "3, commit", "1, publish", "2, publish", "3, publish"})
  void aCheckThatFailsCostsNoByte(int status, String check) throws Exception {
    Nodes nodes = new Nodes(children, "loopback", "deferred");
    String[] flags = {"-Dslipstream.ring.size=16k", "-Dslipstream.ntb.check=" + check};
    Peer server = nodes.start(8, flags);
    Peer client = nodes.start(4, flags);
    int port = nodes.serve(server, 8, "echo");
    client.ask("connect c " + port + " " + Nodes.address(8));
    for (int i = 0; i < 5; i++) {
      nodes.upgrade(client, "c", 2);
      // Not the moments off the ring: the stream comes back before the test may have looked.
      int before = nodes.failovers();
      talkUntil(
          client,
          i,
          "exchange " + i,
          () -> nodes.failChecks(status, 1),
          () -> nodes.failovers() > before);
    }
    nodes.upgrade(client, "c", 2);
    assertThat(client.errors()).isEmpty();
    assertThat(server.errors()).isEmpty();
  }
}
