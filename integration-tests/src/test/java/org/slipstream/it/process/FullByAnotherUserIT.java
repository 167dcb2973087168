package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;

/**
 * Another user fills the file system of our rings, as every user can that may write into {@code
 * /dev/shm}: a store into a page that can not be had would be a SIGBUS. No process dies, no byte is
 * lost, and a stream without room says so.
 */
class FullByAnotherUserIT {
  private static final List<String> AS_NOBODY =
      List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
  private static final Set<String> NO_ROOM = Set.of("NO_MEMORY", "REFUSED", "REVOKED");

  /** New ones, of which many need a new slab. */
  private static final int MANY = 60;

  @RegisterExtension final Children children = new Children();

  @Test
  void noProcessDiesAndNoByteIsLost() throws Exception {
    try (SmallTmpfs tmpfs = SmallTmpfs.over(children.home(), "mode=1777,size=8m")) {
      assertThat(tmpfs).isNotNull();
      List<Peer> pair = children.acceleratedPair();
      Peer server = pair.get(0);
      Peer client = pair.get(1);
      int port = server.echo("l");
      client.ask("connect c " + port);
      children.upgrade(client, "c");
      final String first = client.streams().getFirst().name();
      final CompletableFuture<String> load = client.begin("load c 20000 1");
      Path ballast = children.home().resolve("ballast");

      fillAsAnotherUser(ballast);
      assertThat(Files.getAttribute(ballast, "unix:uid")).isEqualTo(65534);
      assertThat(client.ask("connectMany m " + port + " " + MANY)).isEqualTo("" + MANY);
      Children.soon().untilAsserted(() -> assertOnTheRingOrExplained(client));
      long before = bytes(client, first);
      Children.soon().until(() -> bytes(client, first) > before + 1_000_000); // it goes on
      assertThat(load).isNotDone();

      Files.delete(ballast);
      client.ask("closeMany m");
      Children.soon().until(() -> client.streams().size() == 1);
      client.ask("connect later " + port);
      Children.soon()
          .untilAsserted(() -> {
            client.ask("exchange later 20 2000 1");
            assertThat(client.streams())
                .filteredOn(s -> !s.name().equals(first))
                .hasSize(1)
                .allMatch(s -> s.onRing() && s.ringIn() > 10_000 && s.ringOut() > 10_000);
          });
      client.ask("enough");
      assertThat(Integer.parseInt(client.ok(load, "the load"))).isPositive();
      for (Peer peer : pair) {
        assertThat(peer.errors()).isEmpty();
        assertThat(peer.foreignOutput()).isEmpty();
        assertThat(peer.isAlive()).isTrue();
      }
    }
  }

  /** With traffic: the direction of a server switches at its next write. */
  private static void assertOnTheRingOrExplained(Peer client) throws Exception {
    client.ask("exchangeMany m 2 60000");
    assertThat(client.streams())
        .hasSize(1 + MANY)
        .allMatch(s -> s.onRing() || s.reason().equals("RING_FULL") || NO_ROOM.contains(s.reason()))
        .as("there is no room")
        .anyMatch(s -> NO_ROOM.contains(s.reason()));
  }

  /** What a stream has moved, whatever carried it. */
  private static long bytes(Peer peer, String stream) throws Exception {
    return peer.streams().stream()
        .filter(s -> s.name().equals(stream))
        .mapToLong(s -> s.ringBytes() + s.plainBytes())
        .sum();
  }

  private static void fillAsAnotherUser(Path ballast) throws Exception {
    List<String> command = new ArrayList<>(AS_NOBODY);
    command.addAll(List.of("dd", "if=/dev/zero", "bs=4k", "of=" + ballast));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
      assertThat(said).contains("No space left");
    } catch (IOException e) {
      require(false, "there is no setpriv: " + e.getMessage());
    }
  }
}
