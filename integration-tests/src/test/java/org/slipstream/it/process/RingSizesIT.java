package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.shm.ProcessInspector;

/**
 * Each process gives its first few streams larger rings; a stream that comes when those are taken
 * has a small one, and every byte of all of them arrives. How much storage is behind a ring depends
 * on what was unread in it at one time, and not on what it has carried.
 */
class RingSizesIT {
  private static final long LARGE = 1 << 20;
  private static final long SMALL = 256 << 10;
  private static final int LARGER_RINGS = 8;
  private static final int STREAMS = 12;
  private static final int FEW = 6;

  @RegisterExtension final Children children = new Children();

  /** Sizes of the own rings of a process, of those of its streams that have one. */
  private List<Long> rings(Peer peer) throws Exception {
    List<String> answers = ProcessInspector.ask(children.directory().toString(), "streams");
    return ProcessStatus.parseAll(String.join(",", answers)).stream()
        .flatMap(process -> process.streams().stream())
        .filter(row -> row.number("pid") == peer.pid())
        .map(row -> row.number("ringSizeIn"))
        .filter(size -> size > 0)
        .sorted()
        .toList();
  }

  @Test
  void streamsOfSmallMessagesStayOnTheRingHoweverMuchTheyCarry() throws Exception {
    List<Peer> pair = children.acceleratedPair("-Dslipstream.memory.limit=128k");
    Peer client = pair.get(1);
    int port = pair.get(0).echo("l");
    client.ask("connectMany c " + port + " " + FEW);
    children.upgradeAll(client, "c", FEW, 100);
    for (int i = 0; i < FEW; i++) {
      client.ask("exchange c" + i + " 1000 1000 " + i); // twice a ring, each way
    }
    for (Peer peer : pair) {
      assertThat(children.streams(peer)).hasSize(FEW).allMatch(StreamLine::onRing);
      assertThat(peer.errors()).isEmpty();
    }
    client.ask("exchange c0 50 30000 1"); // needs more: there is enough for one
    assertThat(children.streams(client)).allMatch(StreamLine::onRing);
  }

  private static long large(List<Long> rings) {
    assertThat(rings).isSubsetOf(SMALL, LARGE);
    return rings.stream().filter(size -> size == LARGE).count();
  }

  @Test
  void theFirstStreamsHaveLargerRingsAndSoHasTheNextOneWhenTheyAreClosed() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    Peer client = pair.get(1);
    int port = pair.get(0).echo("l");
    client.ask("connectMany c " + port + " " + STREAMS);
    children.upgradeAll(client, "c", STREAMS, 300_000);
    for (Peer peer : pair) {
      assertThat(rings(peer)).hasSize(STREAMS);
      assertThat(large(rings(peer))).isEqualTo(LARGER_RINGS);
    }

    client.ask("closeMany c");
    for (Peer peer : pair) {
      Children.soon().untilAsserted(() -> assertThat(rings(peer)).isEmpty());
    }
    client.ask("connect late " + port);
    children.upgrade(client, "late");
    client.ask("exchange late 20 300000 1");
    for (Peer peer : pair) {
      assertThat(rings(peer)).containsExactly(LARGE);
      assertThat(peer.errors()).isEmpty();
    }
  }
}
