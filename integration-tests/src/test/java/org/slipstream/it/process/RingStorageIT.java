package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Shared memory of streams that are closed goes back to the system while the session lives. */
class RingStorageIT {
  private static final int STREAMS = 100;

  /** Storage of one of their rings, if it has any. */
  private static final long RING = 256 << 10;

  /** Of the rings of the stream that stays, which may be one of the first, and some more. */
  private static final long FEW = 3 << 20;

  @RegisterExtension final Children children = new Children();

  /**
   * What a process has touched of shared memory, in bytes; nothing else of a JVM is of this kind.
   */
  private static long shared(Peer peer) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + peer.pid() + "/status"))) {
      if (line.startsWith("RssShmem:")) {
        return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IOException("the kernel does not say");
  }

  private void allBusy(Peer client) throws Exception {
    Children.soon()
        .untilAsserted(() -> {
          List<CompletableFuture<String>> answers = new ArrayList<>();
          for (int i = 0; i < STREAMS; i++) {
            answers.add(client.begin("exchange c" + i + " 4 300000 " + i));
          }
          for (CompletableFuture<String> answer : answers) {
            client.ok(answer, "exchange");
          }
          assertThat(children.streams(client)).hasSize(STREAMS + 1).allMatch(StreamLine::onRing);
          assertThat(shared(client)).isGreaterThan(STREAMS * RING);
        });
  }

  private void allClosed(List<Peer> pair) throws Exception {
    pair.get(1).ask("closeMany c");
    for (Peer peer : pair) {
      Children.soon().untilAsserted(() -> assertThat(shared(peer)).isLessThan(FEW));
    }
    pair.get(1).ask("exchange kept 20 300000 1");
    assertThat(children.streams(pair.get(1))).hasSize(1).allMatch(StreamLine::onRing);
  }

  @Test
  void theStreamThatStaysIsTheFirst() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    Peer client = pair.get(1);
    int port = pair.get(0).echo("l");
    client.ask("connect kept " + port);
    children.upgrade(client, "kept");
    for (int round = 0; round < 2; round++) { // in the same slots again
      client.ask("connectMany c " + port + " " + STREAMS);
      allBusy(client);
      allClosed(pair);
    }
    assertThat(client.errors()).isEmpty();
    assertThat(pair.get(0).errors()).isEmpty();
  }

  /**
   * The storage in front of the last one is no end of a file: that takes a function of the C
   * library.
   */
  @Test
  void theStreamThatStaysIsTheLast() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    Peer client = pair.get(1);
    int port = pair.get(0).echo("l");
    client.ask("connectMany c " + port + " " + STREAMS);
    children.upgradeAll(client, "c", STREAMS, 1000);
    client.ask("connect kept " + port);
    children.upgrade(client, "kept");
    allBusy(client);
    allClosed(pair);
    assertThat(client.errors()).isEmpty();
    assertThat(pair.get(0).errors()).isEmpty();
  }
}
