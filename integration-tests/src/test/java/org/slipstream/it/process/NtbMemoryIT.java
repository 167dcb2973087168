package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Patience;

/**
 * One-sided memory between two nodes of a fabric, a process each: they are killed, stopped, and
 * robbed of the file that both map.
 */
class NtbMemoryIT {
  private static final int SIZE = 1 << 20;
  private static final int PORT = 4711;

  @RegisterExtension final Children children = new Children();

  private Nodes nodes;
  private Peer owner;
  private Peer client;

  private void begin(String fabric) throws Exception {
    nodes =
        fabric.equals("file")
            ? new Nodes(children, 32 << 20)
            : new Nodes(children, fabric, fabric.equals("permuted") ? "deferred" : "direct");
    owner = nodes.startMemory(8);
    client = nodes.startMemory(4);
    owner.ask("export r " + SIZE + " rwa");
    owner.ask("announce " + Nodes.address(8) + " " + PORT);
    map("c");
  }

  /** On a machine that is busy the owner may not answer at once. */
  private void map(String key) throws Exception {
    Children.soon().until(() -> answer(client, mapping(key)).equals("ok"));
  }

  private static String mapping(String key) {
    return "mapAt " + key + " " + Nodes.address(8) + " " + PORT + " r";
  }

  private String answer(Peer from, String command) throws Exception {
    return from.result(from.begin(command), Patience.DEADLINE, command);
  }

  private String mappings() throws Exception {
    return owner.ask("mappings r");
  }

  /** Queues with small and with large operations, under way. */
  private List<CompletableFuture<String>> busy() throws Exception {
    List<CompletableFuture<String>> all =
        List.of(client.begin("work c 8"), client.begin("work c 50000"));
    String before = client.ask("read c");
    Children.soon().until(() -> !client.ask("read c").equals(before)); // they add
    assertThat(all).noneMatch(CompletableFuture::isDone);
    return all;
  }

  private void assertEnded(List<CompletableFuture<String>> busy, String status) throws Exception {
    for (CompletableFuture<String> each : busy) {
      assertThat(client.result(each, Patience.DEADLINE, "work")).isEqualTo("ok " + status);
    }
    assertThat(client.isAlive()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "permuted", "file"})
  void oneWritesAndTheOtherReads(String fabric) throws Exception {
    begin(fabric);
    owner.ask("set r 42");
    assertThat(client.ask("read c")).isEqualTo("OK 42");
    assertThat(client.ask("write c 43")).isEqualTo("OK OK");
    assertThat(owner.ask("get r")).isEqualTo("43");
    map("d");
    assertThat(mappings()).isEqualTo("2");
    client.ask("unmap d");
    Children.soon().until(() -> mappings().equals("1"));
    owner.ask("export mine " + SIZE + " -");
    client.ask("mapGranted g " + owner.ask("grant mine rw"));
    assertThat(client.ask("read g")).isEqualTo("OK 0");
    assertThat(client.ask("write g 1")).isEqualTo("OK OK");
    assertThat(owner.ask("revoke mine 0")).isEqualTo("true");
    Children.soon().until(() -> client.ask("status g").equals("REVOKED"));
    assertThat(client.end()).isZero();
    Children.soon().until(() -> mappings().equals("0"));
    assertThat(owner.end()).isZero();
    assertThat(client.errors()).isEmpty();
    assertThat(owner.errors()).isEmpty();
  }

  /** The driver says so at once; of a file only that no sign of life comes any more. */
  @ParameterizedTest
  @ValueSource(strings = {"loopback", "file"})
  void aKilledOwnerIsLost(String fabric) throws Exception {
    begin(fabric);
    map("idle");
    List<CompletableFuture<String>> busy = busy();
    owner.kill();
    assertEnded(busy, "LOST");
    Children.soon().until(() -> client.ask("status idle").equals("LOST"));
    assertThat(client.ask("read idle")).startsWith("LOST");
    assertThat(answer(client, mapping("d"))).isIn("refused NO_OWNER", "refused NO_ANSWER");
    assertThat(client.errors()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "file"})
  void anOwnerThatExitsIsLost(String fabric) throws Exception {
    begin(fabric);
    List<CompletableFuture<String>> busy = busy();
    assertThat(owner.end()).isZero();
    assertEnded(busy, "LOST");
    assertThat(owner.errors()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "file"})
  void aKilledClientHoldsNothing(String fabric) throws Exception {
    begin(fabric);
    busy();
    client.kill();
    Children.soon().until(() -> mappings().equals("0"));
    owner.ask("set r 0");
    assertThat(owner.ask("revoke r 0")).isEqualTo("true");
    client = nodes.startMemory(4);
    map("c");
    assertThat(client.ask("read c")).isEqualTo("OK 0");
    assertThat(owner.errors()).isEmpty();
  }

  /** Over a file: a process that is stopped may hold the lock of the loopback library. */
  @Test
  void aStoppedClientNeedsNotConfirmThatItIsRevoked() throws Exception {
    begin("file");
    List<CompletableFuture<String>> busy = busy();
    client.stop();
    assertThat(owner.ask("revoke r 0")).isEqualTo("true");
    owner.ask("set r 4711");
    client.signal("CONT");
    assertEnded(busy, "REVOKED");
    assertThat(owner.ask("get r")).isEqualTo("4711");
  }

  /** Over a file: a process that is stopped may hold the lock of the loopback library. */
  @Test
  void whatIsPostedWaitsForAnOwnerThatIsStopped() throws Exception {
    begin("file");
    List<CompletableFuture<String>> busy = busy();
    owner.stop();
    CompletableFuture<String> read = client.begin("read c");
    Thread.sleep(200); // not a wait for something: it would have been answered by now
    assertThat(read).isNotDone();
    assertThat(busy).noneMatch(CompletableFuture::isDone);
    owner.signal("CONT");
    assertThat(client.result(read, Patience.DEADLINE, "read")).startsWith("ok OK");
    assertThat(busy).noneMatch(CompletableFuture::isDone);
  }

  @Test
  void aTruncatedFileIsLostAndBothJvmsLive() throws Exception {
    begin("file");
    List<CompletableFuture<String>> busy = busy();
    try (RandomAccessFile file = new RandomAccessFile(nodes.window().toFile(), "rw")) {
      file.setLength(0);
    }
    assertEnded(busy, "LOST");
    assertThat(owner.ask("get r")).isNotEmpty();
    Children.soon().until(() -> mappings().equals("0"));
  }

  /** On a link that stays up, and of which no sequence says so: the owner waits, and gives up. */
  @Test
  void requestsThatAreLostOnTheWayEndTheMapping() throws Exception {
    begin("permuted");
    List<CompletableFuture<String>> busy = busy();
    nodes.hideLosses();
    nodes.loseLines(0, 20);
    assertEnded(busy, "LOST");
    map("d"); // some stores are left to lose
    Children.soon()
        .until(() -> {
          String read = answer(client, "read d");
          map("d");
          return read.startsWith("ok OK");
        });
  }
}
