package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Seed;

/**
 * A ring that stays full overflows to TCP, and comes back: also while an end of it is stopped, also
 * in both directions at once. Every byte is compared.
 */
class StoppedPeerIT {
  /** Rings that grow would hold what is to overflow. */
  private static final String RING = "-Dslipstream.ring.size=256k";

  /** Larger than such a ring and smaller than what the kernel buffers for one connection. */
  private static final int OVERFLOW = 700_000;

  /** More than ring and kernel hold together, so that a writer waits. */
  private static final long PLENTY = 64L << 20;

  private static final int STOPS = 6;
  private static final int LONGEST_STOP_MS = 60;
  private static final Duration PATIENCE = Patience.LONG;

  @RegisterExtension final Seed seed = new Seed();
  @RegisterExtension final Children children = new Children();

  private Peer server;
  private Peer client;

  @BeforeEach
  void onTheRing() throws Exception {
    List<Peer> pair = children.acceleratedPair(RING);
    server = pair.get(0);
    client = pair.get(1);
    int port = server.port("l");
    client.ask("connect c " + port);
    server.ask("accept l s");
    children.toTheRing(client, "c", server, "s");
  }

  @Test
  void aReaderThatIsStoppedWhileTheStreamHasOverflowedLosesNothing() throws Exception {
    CompletableFuture<String> writing = overflow();
    CompletableFuture<String> reading = server.begin("read s " + PLENTY + " " + seed);
    stopAgainAndAgain(server, reading);
    client.ok(writing, PATIENCE, "write, seed " + seed);
    server.ok(reading, PATIENCE, "read, seed " + seed);
    children.toTheRing(client, "c", server, "s");
  }

  @Test
  void aWriterThatIsStoppedWhileTheStreamHasOverflowedLosesNothing() throws Exception {
    CompletableFuture<String> writing = overflow();
    client.stop();
    CompletableFuture<String> reading = server.begin("read s " + PLENTY + " " + seed);
    client.signal("CONT");
    stopAgainAndAgain(client, writing);
    client.ok(writing, PATIENCE, "write, seed " + seed);
    server.ok(reading, PATIENCE, "read, seed " + seed);
    children.toTheRing(client, "c", server, "s");
  }

  /** The reader is stopped when it begins to read, and so when the stream is about to return. */
  @Test
  void anEndThatIsStoppedWhileTheStreamReturnsLosesNothing() throws Exception {
    for (int i = 0; i < STOPS; i++) {
      client.ask("write c " + OVERFLOW + " " + i);
      CompletableFuture<String> reading = server.begin("read s " + OVERFLOW + " " + i);
      CompletableFuture<String> more = client.begin("write c " + OVERFLOW + " " + i);
      pauseAtMost(20);
      stopFor(i % 2 == 0 ? server : client, 1 + seed.random().nextInt(LONGEST_STOP_MS));
      server.ok(reading, PATIENCE, "read, seed " + seed);
      server.ask("read s " + OVERFLOW + " " + i, PATIENCE);
      client.ok(more, PATIENCE, "write, seed " + seed);
    }
    assertThat(children.stream(client).plainOut())
        .as("bytes that overflowed")
        .isGreaterThan(OVERFLOW);
    children.toTheRing(client, "c", server, "s");
  }

  /**
   * A direction whose epochs in the ring were short stays away from it for up to 160 ms, in which
   * the kernel may carry a whole fight: so they fight until it came back.
   */
  @Test
  void bothDirectionsMayOverflowAtOnceInEventLoops() throws Exception {
    final long plainBefore = children.stream(client).plainBytes();
    Children.soon()
        .atMost(PATIENCE)
        .until(
            () -> {
              duel();
              return children.stream(client);
            },
            line -> line.ringOut() > OVERFLOW && line.plainBytes() - plainBefore > OVERFLOW);
    children.toTheRing(client, "c", server, "s");
  }

  private void duel() throws Exception {
    CompletableFuture<String> there = server.begin("duel s 12 " + OVERFLOW + " 1 2");
    CompletableFuture<String> here = client.begin("duel c 12 " + OVERFLOW + " 2 1");
    client.ok(here, PATIENCE, "duel");
    server.ok(there, PATIENCE, "duel");
  }

  /** The server does not read: the client's direction falls back to TCP. */
  private CompletableFuture<String> overflow() throws Exception {
    CompletableFuture<String> writing = client.begin("write c " + PLENTY + " " + seed);
    Children.soon().until(() -> children.stream(client).out().equals("plain"));
    assertThat(writing).isNotDone();
    return writing;
  }

  private void stopAgainAndAgain(Peer peer, CompletableFuture<String> until) throws Exception {
    for (int i = 0; i < STOPS && !until.isDone(); i++) {
      stopFor(peer, 1 + seed.random().nextInt(LONGEST_STOP_MS));
      pauseAtMost(10);
    }
  }

  private void stopFor(Peer peer, int millis) throws Exception {
    peer.stop();
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    peer.signal("CONT");
  }

  /** Not to wait for anything: the moment is the random variable of the test. */
  private void pauseAtMost(int millis) {
    LockSupport.parkNanos(seed.random().nextInt((int) TimeUnit.MILLISECONDS.toNanos(millis)));
  }
}
