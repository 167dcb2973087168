package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Patience;

/** What is closed is gone, and so is what belonged to a process that ended, however it ended. */
class NothingLeftIT {
  private static final int CYCLES = 10_000;

  @RegisterExtension final Children children = new Children();

  /** Also of threads that sleep on futexes, whose connections the watcher hears. */
  @ParameterizedTest(name = "spinning for {0} microseconds")
  @ValueSource(ints = {100, 0})
  void tenThousandConnectionsLeaveNothingBehind(int spin) throws Exception {
    List<Peer> pair = children.acceleratedPair("-Dslipstream.spin.max=" + spin);
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    int port = server.echo("l");
    children.warm(server);
    children.warm(client);
    // The session of the two stays, with slabs for more streams than are there at once later,
    // however
    // late the control threads are; and for fewer than are there in all.
    upgradedBatch(client, port, 100);
    final Census serverBefore = settled(server);
    final Census clientBefore = settled(client);
    if (spin == 0) {
      assertThat(server.threads()).containsOnlyOnce(AsleepPair.WATCHER);
      assertThat(client.threads()).containsOnlyOnce(AsleepPair.WATCHER);
    }
    final int filesBefore = Census.files(children.directory()).size();
    for (int i = 0; i < 4; i++) {
      client.ask("cycles " + port + " " + (CYCLES / 4 - 40), Patience.DEADLINE);
      upgradedBatch(client, port, 40);
    }
    Children.soon().untilAsserted(() -> assertThat(children.streams()).isEmpty());
    children.awaitCensus(client, clientBefore);
    children.awaitCensus(server, serverBefore);
    for (Peer peer : pair) {
      Children.soon()
          .untilAsserted(
              () -> assertThat(peer.threads()).noneMatch(t -> t.startsWith("slipstream-switch-")));
    }
    Children.soon()
        .untilAsserted(() -> assertThat(Census.files(children.directory())).hasSize(filesBefore));
    assertThat(client.errors()).isEmpty();
    assertThat(server.errors()).isEmpty();
  }

  /** Connections that are all on the ring at once, then closed. */
  private void upgradedBatch(Peer client, int port, int size) throws Exception {
    client.ask("connectMany u " + port + " " + size);
    Children.soon()
        .untilAsserted(() -> {
          for (int i = 0; i < size; i++) {
            client.ask("exchange u" + i + " 5 500 1");
          }
          assertThat(children.streams(client)).hasSize(size).allMatch(StreamLine::onRing);
        });
    client.ask("closeMany u");
  }

  private Census settled(Peer peer) throws Exception {
    Children.soon().until(() -> children.streams().isEmpty());
    return children.census(peer);
  }

  @Test
  void aNormalEndLeavesTheDirectoryEmpty() throws Exception {
    List<Peer> pair = onTheRing();
    assertThat(Census.files(children.home())).isNotEmpty();
    assertThat(pair.get(1).end()).isZero();
    assertThat(pair.get(0).end()).isZero();
    assertThat(Census.files(children.home())).isEmpty();
  }

  @Test
  void aCallOfExitLeavesTheDirectoryEmpty() throws Exception {
    List<Peer> pair = onTheRing();
    for (Peer peer : pair) {
      assertThat(peer.begin("exit")).succeedsWithin(Patience.DEADLINE).isEqualTo("gone");
      assertThat(peer.awaitExit()).isZero();
    }
    assertThat(Census.files(children.home())).isEmpty();
  }

  @Test
  void aTerminationSignalLeavesTheDirectoryEmpty() throws Exception {
    List<Peer> pair = onTheRing();
    for (Peer peer : pair) {
      peer.signal("TERM");
      assertThat(peer.awaitExit()).isEqualTo(128 + 15);
    }
    assertThat(Census.files(children.home())).isEmpty();
  }

  @Test
  void theNextProcessSweepsWhatTwoKilledProcessesLeft() throws Exception {
    List<Peer> pair = onTheRing();
    pair.get(0).stop(); // or it would sweep the other at once
    pair.get(1).kill();
    pair.get(0).kill();
    assertThat(Census.files(children.directory())).isNotEmpty();
    Peer next = children.accelerated();
    next.echo("l");
    Children.soon().untilAsserted(() -> assertThat(processes()).hasSize(1));
    assertThat(next.end()).isZero();
    assertThat(Census.files(children.home())).isEmpty();
  }

  @Test
  void theLastToEndSweepsWhatAKilledProcessLeftThatNoneHadASessionWith() throws Exception {
    Peer last = children.accelerated();
    last.echo("l");
    Peer killed = children.accelerated();
    killed.echo("l");
    Children.soon().untilAsserted(() -> assertThat(processes()).hasSize(2));
    killed.kill();
    assertThat(processes()).hasSize(2);
    assertThat(last.end()).isZero();
    assertThat(Census.files(children.home())).isEmpty();
  }

  @Test
  void aClientSweepsToo() throws Exception {
    Peer plain = children.plain();
    int port = plain.echo("l");
    List<Peer> pair = onTheRing();
    pair.get(0).stop();
    pair.get(1).kill();
    pair.get(0).kill();
    Peer next = children.accelerated();
    next.ask("connect c " + port);
    next.ask("exchange c 20 200 1");
    Children.soon().untilAsserted(() -> assertThat(processes()).hasSize(1));
    assertThat(next.end()).isZero();
    assertThat(Census.files(children.home())).isEmpty();
  }

  @Test
  void theEndOfOneProcessLeavesThoseOfOthersAlone() throws Exception {
    List<Peer> pair = onTheRing();
    Peer third = children.accelerated();
    third.echo("l");
    assertThat(third.end()).isZero();
    Peer fourth = children.accelerated();
    fourth.echo("l");
    fourth.kill();
    pair.get(1).ask("connect d " + pair.get(0).echo("m"));
    children.upgrade(pair.get(1), "d");
    children.upgrade(pair.get(1), "c");
  }

  /** The processes whose control sockets or announcements are there; files have their names. */
  private Set<String> processes() {
    Set<String> names = new TreeSet<>();
    for (Path p : Census.files(children.directory())) {
      String file = p.getFileName().toString();
      if (file.equals("ctl")) {
        names.add(p.getParent().getFileName().toString());
      } else if (p.getParent().getFileName().toString().startsWith("port-")) {
        names.add(file.substring(0, file.indexOf('-')));
      }
    }
    return names;
  }

  private List<Peer> onTheRing() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    pair.get(1).ask("connect c " + pair.get(0).echo("l"));
    children.upgrade(pair.get(1), "c");
    return pair;
  }
}
