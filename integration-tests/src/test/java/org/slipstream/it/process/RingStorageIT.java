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
          assertThat(children.streams(client)).hasSize(STREAMS).allMatch(StreamLine::onRing);
          assertThat(shared(client)).isGreaterThan(STREAMS * RING);
        });
  }

  @Test
  void allButTheFirstAreClosed() throws Exception {
    closeAllBut(0);
  }

  /** The storage in front of the last one is no end of a file: that takes native access. */
  @Test
  void allButTheLastAreClosed() throws Exception {
    closeAllBut(STREAMS - 1, "--enable-native-access=ALL-UNNAMED");
  }

  private void closeAllBut(int survivor, String... flags) throws Exception {
    List<Peer> pair = children.acceleratedPair(flags);
    Peer client = pair.get(1);
    int port = pair.get(0).echo("l");
    client.ask("connectMany c " + port + " " + STREAMS);
    allBusy(client);
    for (int i = 0; i < STREAMS; i++) {
      if (i != survivor) {
        client.ask("close c" + i);
      }
    }
    for (Peer peer : pair) {
      Children.soon().untilAsserted(() -> assertThat(shared(peer)).isLessThan(8 * RING));
    }
    client.ask("exchange c" + survivor + " 20 300000 1");
    assertThat(children.streams(client)).hasSize(1).allMatch(StreamLine::onRing);
    // The same slots again.
    for (int i = 0; i < STREAMS; i++) {
      if (i != survivor) {
        client.ask("connect c" + i + " " + port);
      }
    }
    allBusy(client);
    assertThat(client.errors()).isEmpty();
    assertThat(pair.get(0).errors()).isEmpty();
  }
}
