package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;

/** Programs that do not take turns politely; both ends are accelerated unless a test says other. */
class ServerHabitsIT {
  @RegisterExtension final Children children = new Children();

  @Test
  void aServerMaySpeakFirst() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    int port = pair.get(0).port("l");
    Peer client = pair.get(1);
    client.ask("connect c " + port);
    pair.get(0).ask("accept l s");
    pair.get(0).ask("write s 100 1");
    client.ask("read c 100 1");
    client.ask("write c 50 2");
    pair.get(0).ask("read s 50 2");
    pair.get(0).ask("write s 300000 3");
    client.ask("read c 300000 3");
    Children.soon()
        .until(() -> {
          pair.get(0).ask("write s 1000 4");
          client.ask("read c 1000 4");
          client.ask("write c 1000 5");
          pair.get(0).ask("read s 1000 5");
          return children.streams().size() == 2
              && children.streams().stream().allMatch(StreamLine::onRing);
        });
    StreamLine before = children.stream(client);
    pair.get(0).ask("write s 500 6");
    client.ask("read c 500 6");
    client.ask("write c 500 7");
    pair.get(0).ask("read s 500 7");
    StreamLine after = children.stream(client);
    assertThat(after.ringIn() - before.ringIn()).isEqualTo(500);
    assertThat(after.ringOut() - before.ringOut()).isEqualTo(500);
    pair.get(0).ask("close s");
    assertThat(client.ask("readToEnd c 1")).isEqualTo("eof 0");
  }

  @Test
  void bytesThatOverflowedBeforeACloseArrive() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    client.ask("connect c " + server.port("l"));
    server.ask("accept l s");
    children.toTheRing(client, "c", server, "s");
    server.ask("write s 700000 3");
    assertThat(children.stream(server).out()).isEqualTo("plain");
    server.ask("close s");
    assertThat(client.ask("readToEnd c 3")).isEqualTo("eof 700000");
  }

  /** No peer ever writes to it, not one byte; what it says still comes over the ring. */
  @Test
  void aServerMayOnlyWrite() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    client.ask("connect c " + server.port("l"));
    server.ask("accept l s");
    Children.soon()
        .until(() -> {
          server.ask("write s 1000 2");
          client.ask("read c 1000 2");
          List<StreamLine> its = children.streams(client); // none before the first offer
          return its.size() == 1 && its.getFirst().ringIn() > 0;
        });
    long before = children.stream(client).ringIn();
    CompletableFuture<String> speech = server.begin("write s 60000000 5");
    client.ask("read c 60000000 5");
    server.ok(speech, "speech");
    StreamLine heard = children.stream(client);
    assertThat(heard.ringIn()).isGreaterThan(before);
    assertThat(heard.ringOut() + heard.plainOut()).isZero();
    server.ask("close s");
    assertThat(client.ask("readToEnd c 5")).isEqualTo("eof 0");
  }

  @Test
  void aSubscriberThatOnlyReadsIsUpgradedInBothDirections() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    int port = server.port("l");
    client.ask("connect c " + port);
    server.ask("accept l s");
    client.ask("write c 20 1");
    server.ask("read s 20 1");
    Children.soon()
        .until(() -> {
          server.ask("write s 1000 2");
          client.ask("read c 1000 2");
          return children.streams().size() == 2
              && children.streams().stream().allMatch(StreamLine::onRing);
        });
    long before = children.stream(client).ringIn();
    server.ask("write s 500 3");
    client.ask("read c 500 3");
    assertThat(children.stream(client).ringIn() - before).isEqualTo(500);
    server.ask("close s");
    assertThat(client.ask("readToEnd c 1")).isEqualTo("eof 0");
  }

  @Test
  void aServerThatNeverAcceptsIsAnOrdinaryServer() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    int port = pair.get(0).port("l");
    Peer client = pair.get(1);
    client.ask("connect c " + port);
    // The kernel takes this for a listener that does not accept, and so must we.
    for (int i = 0; i < 20; i++) {
      client.ask("write c 1000 1");
    }
    StreamLine line = children.stream(client);
    assertThat(line.plainOut()).isEqualTo(20_000);
    assertThat(line.onRing()).isFalse();
    client.ask("close c");
    Children.soon().until(() -> children.streams(client).isEmpty());
    pair.get(0).ask("accept l s");
    for (int i = 0; i < 20; i++) {
      pair.get(0).ask("read s 1000 1");
    }
    assertThat(pair.get(0).ask("readToEnd s 1")).isEqualTo("eof 0");
  }

  @Test
  void aLateAcceptStillLeadsToTheRing() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    int port = server.port("l");
    client.ask("connect c " + port);
    for (int i = 0; i < 20; i++) {
      client.ask("write c 1000 1");
    }
    Children.soon().until(() -> children.stream(client).reason().matches("OFFERED|TIMED_OUT"));
    server.ask("accept l s");
    for (int i = 0; i < 20; i++) {
      server.ask("read s 1000 1");
    }
    children.toTheRing(client, "c", server, "s");
  }

  @Test
  void allBytesOfAClientThatExitsAtOnceArrive() throws Exception {
    Peer server = children.accelerated();
    int port = server.port("l");
    long[] sizes = {1, 1000, 100_000, 2_000_000};
    for (long size : sizes) {
      Peer client = children.accelerated();
      client.ask("connect c " + port);
      server.ask("accept l s");
      CompletableFuture<String> exit = client.begin("writeAndExit c " + size + " 9");
      assertThat(server.ask("readToEnd s 9")).isEqualTo("eof " + size);
      assertThat(client.awaitExit()).isZero();
      assertThat(exit).succeedsWithin(Patience.DEADLINE).isEqualTo("gone");
      server.ask("close s");
    }
  }

  @Test
  void allBytesOfAClientThatExitsOnTheRingArrive() throws Exception {
    Peer server = children.accelerated();
    int port = server.port("l");
    long[] sizes = {1, 1000, 100_000, 2_000_000};
    for (long size : sizes) {
      Peer client = children.accelerated();
      client.ask("connect c " + port);
      server.ask("accept l s");
      children.toTheRing(client, "c", server, "s");
      CompletableFuture<String> exit = client.begin("writeAndExit c " + size + " 9");
      assertThat(server.ask("readToEnd s 9")).isEqualTo("eof " + size);
      assertThat(client.awaitExit()).isZero();
      assertThat(exit).succeedsWithin(Patience.DEADLINE).isEqualTo("gone");
      server.ask("close s");
    }
  }

  @Test
  void aPortIsUsedAgainAfterItsServerWasKilled() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    int port = pair.get(0).echo("l");
    Peer client = pair.get(1);
    client.ask("connect c " + port);
    children.upgrade(client, "c");
    pair.get(0).kill();
    Peer plain = children.plain();
    plain.ask("listen l " + port);
    plain.ask("serve l echo");
    client.ask("connect d " + port);
    client.ask("exchange d 100 20000 1");
    client.ask("close d");
    plain.kill();
    Peer next = children.accelerated();
    next.ask("listen l " + port);
    next.ask("serve l echo");
    client.ask("close c");
    client.ask("connect e " + port);
    children.upgrade(client, "e");
  }

  @Test
  void siblingsOnOnePortOfWhichOneIsPlainServeAllConnections() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    int port = Integer.parseInt(pair.get(0).ask("listen l 0 127.0.0.1"));
    pair.get(0).ask("serve l echo");
    Peer plain = children.plain();
    plain.ask("listen l " + port + " 127.0.0.1");
    plain.ask("serve l echo");
    Peer third = children.accelerated();
    third.ask("listen l " + port + " 127.0.0.1");
    third.ask("serve l echo");
    Peer client = pair.get(1);
    client.ask("connectMany c " + port + " 30");
    for (int round = 0; round < 3; round++) {
      List<CompletableFuture<String>> answers = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        answers.add(client.begin("exchange c" + i + " 50 5000 " + i));
      }
      for (CompletableFuture<String> answer : answers) {
        client.ok(answer, "exchange");
      }
    }
    // With traffic: the direction of a server switches at its next write.
    Children.soon()
        .until(() -> {
          for (int i = 0; i < 30; i++) {
            client.ask("exchange c" + i + " 2 500 " + i);
          }
          int ofOurs = children.streams(pair.get(0)).size() + children.streams(third).size();
          List<StreamLine> all = children.streams(client);
          return all.size() == 30
              && ofOurs > 0
              && all.stream().filter(StreamLine::onRing).count() == ofOurs;
        });
  }

  @Test
  void aStoppedServerIsAnOrdinaryServer() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    int port = server.echo("l");
    client.ask("connect c " + port);
    children.upgrade(client, "c");
    server.stop();
    // The kernel accepts and buffers, so connect and write end, on a new and on an old stream.
    client.ask("connect d " + port);
    client.ask("write d 10000 1");
    client.ask("write c 100000 1");
    CompletableFuture<String> readD = client.begin("read d 10000 1");
    CompletableFuture<String> readC = client.begin("read c 100000 1");
    server.signal("CONT");
    client.ok(readD, "read d");
    client.ok(readC, "read c");
    client.ask("exchange c 20 20000 1");
    client.ask("exchange d 20 20000 1");
  }
}
