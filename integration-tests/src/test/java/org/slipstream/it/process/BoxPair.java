package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slipstream.it.process.Boxes.Box;
import org.slipstream.testkit.Patience;

/**
 * Two programs in two containers, and some connections of the one to an echo in the other.
 *
 * @param serverBox where the piggybacked credit runs
 * @param server the piggybacked credit
 * @param clientBox where the client runs
 * @param client has the channels {@code c0}, {@code c1} …
 * @param streams how many
 */
record BoxPair(Box serverBox, Peer server, Box clientBox, Peer client, int streams) {
  private static final int SOME = 4;

  static BoxPair connect(Box serverBox, Peer server, Box clientBox, Peer client) throws Exception {
    return connect(serverBox, server, clientBox, client, SOME);
  }

  static BoxPair connect(Box serverBox, Peer server, Box clientBox, Peer client, int streams)
      throws Exception {
    int port = Integer.parseInt(server.ask("listen l 0 0.0.0.0"));
    server.ask("serve l echo");
    BoxPair pair = new BoxPair(serverBox, server, clientBox, client, streams);
    String made = client.ask("connectMany c " + port + " " + streams + " " + serverBox.address());
    assertThat(made).isEqualTo(Integer.toString(streams));
    pair.exchange();
    return pair;
  }

  /** Sends bytes on all streams, and compares each that comes back. */
  void exchange() throws Exception {
    client.ask("exchangeMany c 20 20000");
  }

  /** All streams as both ends report them; both must have the agent. */
  List<StreamLine> lines() throws Exception {
    List<StreamLine> both = new ArrayList<>(server.streams());
    both.addAll(client.streams());
    return both;
  }

  // -- on the ring -----------------------------------------------------------------------------

  /** Exchanges until each stream is on the ring, at both ends, and the ring carries its bytes. */
  BoxPair onTheRing() throws Exception {
    long end = System.nanoTime() + Patience.LONG.toNanos();
    List<StreamLine> after;
    Map<String, StreamLine> before;
    do {
      before = lines().stream().collect(Collectors.toMap(StreamLine::name, Function.identity()));
      exchange();
      after = lines();
      if (after.size() == 2 * streams && isCarried(before, after)) {
        return this;
      }
    } while (System.nanoTime() - end < 0);
    throw new AssertionError("not on the ring, whatever was exchanged: " + after);
  }

  private static boolean isCarried(Map<String, StreamLine> before, List<StreamLine> after) {
    for (StreamLine now : after) {
      StreamLine then = before.get(now.name());
      if (then == null || !now.onRing()) {
        return false;
      }
      long ring = Math.min(now.ringOut() - then.ringOut(), now.ringIn() - then.ringIn());
      if (ring < 10_000 || now.plainBytes() - then.plainBytes() > ring / 10) {
        return false;
      }
    }
    return true;
  }

  // -- on TCP ----------------------------------------------------------------------------------

  /** All streams of one end are on TCP, for one reason, and their bytes have flowed. */
  void assertPlain(Peer end, String reason) throws Exception {
    awaitPlain(end, reason);
    exchange();
    awaitPlain(end, reason); // for a moment they may be offered anew
    assertThat(end.streams())
        .allSatisfy(s -> {
          assertThat(s.plainOut()).isGreaterThan(20_000);
          assertThat(s.plainIn()).isGreaterThan(20_000);
        });
  }

  private void awaitPlain(Peer end, String reason) {
    Children.soon()
        .untilAsserted(() ->
            assertThat(end.streams())
                .hasSize(streams)
                .allSatisfy(s -> {
                  assertThat(s.onRing()).isFalse();
                  assertThat(s.ringBytes()).isZero();
                  assertThat(s.reason()).isEqualTo(reason);
                }));
  }

  /** What the rings have carried at both ends. */
  long ringBytes() throws Exception {
    return lines().stream().mapToLong(StreamLine::ringBytes).sum();
  }

  // -- under load ------------------------------------------------------------------------------

  /** Begins the same command on each stream, with a seed of its own. */
  List<CompletableFuture<String>> begin(String command, int largest) throws Exception {
    List<CompletableFuture<String>> answers = new ArrayList<>();
    for (int i = 0; i < streams; i++) {
      answers.add(client.begin(command + " c" + i + " " + largest + " " + i));
    }
    return answers;
  }

  /** Ends a load on all streams; each byte of it was the one that was sent. */
  void endLoad(List<CompletableFuture<String>> loads) throws Exception {
    client.ask("enough");
    assertThat(loads).hasSize(streams);
    for (CompletableFuture<String> load : loads) {
      try {
        assertThat(Integer.parseInt(client.ok(load, Patience.LONG, "the load"))).isPositive();
      } catch (AssertionError e) {
        throw new AssertionError(
            e.getMessage() + "\nThe other end:\n" + server.stacks() + "\n" + lines(), e);
      }
    }
  }

  /** Each stream of a load has ended, as TCP does it: by its end, or by a reset. */
  void assertEnds(List<CompletableFuture<String>> loads) throws Exception {
    assertThat(loads).hasSize(streams);
    for (CompletableFuture<String> load : loads) {
      assertThat(client.ok(load, Patience.LONG, "the end of the stream"))
          .matches("eof \\d+|(reset|broken) \\d+ .*(Connection reset|Broken pipe).*");
    }
  }

  void assertNoErrors() {
    assertThat(client.errors()).isEmpty();
    assertThat(server.errors()).isEmpty();
    assertThat(client.foreignOutput()).isEmpty();
    assertThat(server.foreignOutput()).isEmpty();
  }
}
