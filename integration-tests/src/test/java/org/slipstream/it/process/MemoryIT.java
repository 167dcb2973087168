package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;

/** One-sided memory between processes that are killed, stopped, robbed, or another user's. */
class MemoryIT {
  /** Operations of two threads; the JVM compiles a loop after some ten thousand turns. */
  private static final long COMPILED_AFTER = 300_000;

  private static final List<String> AS_NOBODY =
      List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
  private static final int SIZE = 1 << 20;

  /** What 10,000 entries of a table would take at least. */
  private static final long LEAK = 800_000;

  @RegisterExtension final Children children = new Children();

  private Peer owner;
  private Peer client;

  @BeforeEach
  void twoProcesses() throws Exception {
    owner = launch(List.of());
    client = launch(List.of());
    owner.awaitReady();
    client.awaitReady();
    owner.ask("export r " + SIZE + " rwa");
  }

  /** With both compilers: what faults in compiled code is the point. */
  private Peer launch(List<String> prefix, String... flags) throws Exception {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of(Children.JAVA, "-XX:+UseSerialGC", "-Xmx128m"));
    command.addAll(List.of(flags));
    command.addAll(List.of("-cp", Children.classes() + ":" + Children.JAR));
    command.addAll(List.of(MemoryProgram.class.getName(), children.directory().toString()));
    return children.launch(command);
  }

  private void map(Peer from, String key) throws Exception {
    from.ask("map " + key + " " + owner.pid() + " r");
  }

  private String answer(Peer from, String command) throws Exception {
    return from.result(from.begin(command), Patience.DEADLINE, command);
  }

  private String mappings() throws Exception {
    return owner.ask("mappings r");
  }

  /** The word to which both of those that work add. */
  private static long sum(Peer peer, String key) throws Exception {
    return Long.parseLong(peer.ask("read " + key).replaceFirst("^OK ", ""));
  }

  /** A queue and a loop of loads, both under way in compiled code. */
  private List<CompletableFuture<String>> busy(Peer peer, String key) throws Exception {
    List<CompletableFuture<String>> all =
        List.of(
            peer.begin("work " + key + " 8"),
            peer.begin("work " + key + " 5000"),
            peer.begin("load " + key));
    long before = sum(peer, key);
    // They add, and are compiled: the JDK does not survive a fault of an interpreted exchange.
    Children.soon().until(() -> sum(peer, key) - before >= COMPILED_AFTER);
    assertThat(all).noneMatch(CompletableFuture::isDone);
    return all;
  }

  private void assertEnded(Peer peer, List<CompletableFuture<String>> busy, String status)
      throws Exception {
    assertThat(peer.result(busy.get(0), Patience.DEADLINE, "work")).isEqualTo("ok " + status);
    assertThat(peer.result(busy.get(1), Patience.DEADLINE, "work")).isEqualTo("ok " + status);
    assertThat(peer.result(busy.get(2), Patience.DEADLINE, "load"))
        .startsWith("ok IllegalStateException");
    assertThat(peer.isAlive()).isTrue();
  }

  @Test
  void oneWritesAndTheOtherReads() throws Exception {
    owner.ask("set r 42");
    map(client, "c");
    assertThat(client.ask("read c")).isEqualTo("OK 42");
    assertThat(client.ask("write c 43")).isEqualTo("OK OK");
    assertThat(owner.ask("get r")).isEqualTo("43");
    client.ask("unmap c");
    Children.soon().until(() -> mappings().equals("0"));
  }

  @Test
  void grantsTravelAsText() throws Exception {
    owner.ask("export mine " + SIZE + " -");
    assertThat(answer(client, "map c " + owner.pid() + " mine")).isEqualTo("refused DENIED");
    String grant = owner.ask("grant mine r");
    client.ask("mapGranted c " + grant);
    assertThat(client.ask("read c")).isEqualTo("OK 0");
    assertThat(client.ask("write c 1")).isEqualTo("DENIED OK");
    assertThat(owner.ask("revoke mine 60000")).isEqualTo("true");
    assertThat(client.ask("status c")).isEqualTo("REVOKED");
    assertThat(answer(client, "mapGranted c " + grant)).isEqualTo("refused REVOKED");
  }

  // -- the owner -------------------------------------------------------------------------------

  @Test
  void aKilledOwnerIsLostToProcessesThatWork() throws Exception {
    map(client, "c");
    map(client, "idle");
    List<CompletableFuture<String>> busy = busy(client, "c");
    owner.kill();
    assertEnded(client, busy, "LOST");
    Children.soon().until(() -> client.ask("status idle").equals("LOST")); // ended behind the other
    assertThat(client.ask("read idle")).startsWith("LOST");
    assertNothingIsMapped(client);
    assertThat(answer(client, "map d " + owner.pid() + " r")).isEqualTo("refused NO_OWNER");
    Children.soon()
        .until(() ->
            Census.files(children.directory()).stream()
                .noneMatch(path -> path.getFileName().toString().startsWith("region-")));
  }

  @Test
  void anOwnerThatExitsIsLost() throws Exception {
    map(client, "c");
    List<CompletableFuture<String>> busy = busy(client, "c");
    assertThat(owner.end()).isZero();
    assertEnded(client, busy, "LOST");
    assertThat(owner.errors()).isEmpty();
  }

  @Test
  void anOwnerThatIsKilledWhileItIsAskedIsLost() throws Exception {
    map(client, "c"); // there is a session
    owner.stop();
    CompletableFuture<String> mapping = client.begin("map d " + owner.pid() + " r");
    assertThat(client.ask("read c")).as("a stopped owner serves reads").isEqualTo("OK 0");
    owner.kill();
    assertThat(client.result(mapping, Patience.DEADLINE, "map"))
        .isIn("refused OWNER_LOST", "refused NO_OWNER");
    Children.soon().until(() -> client.ask("status c").equals("LOST"));
  }

  @Test
  void aMappingThatWasRevokedStaysSoWhenTheOwnerIsKilled() throws Exception {
    map(client, "c");
    assertThat(owner.ask("revoke r 60000")).isEqualTo("true");
    owner.kill();
    Children.soon()
        .until(() -> answer(client, "map d " + owner.pid() + " r").equals("refused NO_OWNER"));
    assertThat(client.ask("read c")).startsWith("REVOKED");
    client.ask("unmap c");
  }

  // -- the client ------------------------------------------------------------------------------

  @Test
  void aKilledClientHoldsNothingAndTheOthersGoOn() throws Exception {
    Peer other = launch(List.of()).awaitReady();
    map(client, "c");
    map(client, "d");
    map(other, "c");
    busy(client, "c");
    List<CompletableFuture<String>> busy = busy(other, "c");
    client.kill();
    Children.soon().until(() -> mappings().equals("1"));
    assertThat(busy).noneMatch(CompletableFuture::isDone);
    assertThat(owner.ask("revoke r 60000")).isEqualTo("true");
    assertEnded(other, busy, "REVOKED");
  }

  @Test
  void aStoppedClientIsWaitedForAndEndsWhenItGoesOn() throws Exception {
    map(client, "c");
    List<CompletableFuture<String>> busy = busy(client, "c");
    client.stop();
    assertThat(owner.ask("revoke r 100")).isEqualTo("false");
    assertThat(mappings()).isEqualTo("1");
    client.signal("CONT");
    assertThat(owner.ask("revoke r 60000")).isEqualTo("true");
    assertEnded(client, busy, "REVOKED");
  }

  @Test
  void aStoppedClientThatIsKilledIsNotWaitedFor() throws Exception {
    map(client, "c");
    client.stop();
    CompletableFuture<String> revoking = owner.begin("revoke r 600000");
    client.kill();
    assertThat(owner.ok(revoking, "revoke")).isEqualTo("true");
  }

  @Test
  void aClientThatIsKilledWhileItAsksHoldsNothing() throws Exception {
    map(client, "c"); // there is a session
    owner.stop();
    CompletableFuture<String> mapping = client.begin("map d " + owner.pid() + " r");
    Thread.sleep(50); // the question is on its way; if it is not, nothing is to be shown
    client.kill();
    owner.signal("CONT");
    Children.soon().until(() -> mappings().equals("0"));
    assertThat(mapping.get()).isEqualTo("gone");
  }

  @Test
  void aClientWhoseRegionIsClosedIsToldSo() throws Exception {
    map(client, "c");
    List<CompletableFuture<String>> busy = busy(client, "c");
    owner.ask("unexport r");
    assertEnded(client, busy, "REVOKED");
    assertThat(answer(client, "map d " + owner.pid() + " r")).isEqualTo("refused NO_REGION");
    assertNothingIsMapped(client);
    assertNothingIsMapped(owner);
  }

  private void assertNothingIsMapped(Peer peer) {
    Children.soon()
        .untilAsserted(
            () -> assertThat(Census.mappings(peer.pid(), children.directory())).isEmpty());
  }

  // -- hostile processes -----------------------------------------------------------------------

  @Test
  void aTruncatedRegionIsLostAndBothJvmsLive() throws Exception {
    owner.ask("export other " + SIZE + " rwa");
    map(client, "c");
    client.ask("map other " + owner.pid() + " other");
    List<CompletableFuture<String>> busy = busy(client, "c");
    for (Path path : Census.files(children.directory())) {
      if (path.getFileName().toString().equals("region-0")) {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
          file.setLength(0);
        }
      }
    }
    assertThat(client.result(busy.get(0), Patience.DEADLINE, "work")).isEqualTo("ok LOST");
    assertThat(client.result(busy.get(1), Patience.DEADLINE, "work")).isEqualTo("ok LOST");
    assertThat(client.result(busy.get(2), Patience.DEADLINE, "load"))
        .startsWith("ok InternalError");
    assertThat(answer(owner, "get r")).startsWith("error java.lang.InternalError");
    assertThat(answer(client, "map d " + owner.pid() + " r")).isEqualTo("refused NO_MEMORY");
    assertThat(client.ask("read other")).isEqualTo("OK 0");
    assertThat(owner.ask("get other")).isEqualTo("0");
  }

  /** The directory keeps another user out; so do the files, where the directory is open. */
  @Test
  void anotherUserGetsNothing() throws Exception {
    try (PublicCopy copy = new PublicCopy()) {
      asNobody(copy, List.of("true"), 0);
      Path region =
          Census.files(children.directory()).stream()
              .filter(path -> path.getFileName().toString().equals("region-0"))
              .findFirst()
              .orElseThrow();
      asNobody(copy, List.of("cat", region.toString()), 1);
      refusedAsNobody(copy);
      for (Path path = region.getParent();
          !path.equals(children.home().getParent());
          path = path.getParent()) {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
      }
      asNobody(copy, List.of("cat", region.toString()), 1);
      asNobody(copy, List.of("truncate", "-s", "0", region.toString()), 1);
      refusedAsNobody(copy);
    }
    map(client, "c");
    assertThat(client.ask("read c")).isEqualTo("OK 0");
  }

  private static void asNobody(PublicCopy copy, List<String> command, int expected)
      throws Exception {
    List<String> all = new ArrayList<>(AS_NOBODY);
    all.addAll(command);
    assertThat(copy.classes()).isNotEmpty();
    try {
      int exit = new ProcessBuilder(all).start().waitFor();
      require(expected != 0 || exit == 0, "setpriv, and the right to use it");
      assertThat(exit == 0).as(command.toString()).isEqualTo(expected == 0);
    } catch (IOException e) {
      require(false, "there is no setpriv: " + e.getMessage());
    }
  }

  /** A domain of another user does not even open where ours is. */
  private void refusedAsNobody(PublicCopy copy) throws Exception {
    List<String> command = new ArrayList<>(AS_NOBODY);
    command.addAll(
        List.of(
            Children.JAVA,
            "-cp",
            Children.classes() + ":" + Children.JAR,
            MemoryProgram.class.getName(),
            children.directory().toString()));
    Peer other = children.launch(copy.command(command));
    assertThat(other.awaitExit()).isNotZero();
    assertThat(other.errors().getFirst())
        .containsPattern("can not be used|belongs to|AccessDenied");
  }

  // -- ordinary life ---------------------------------------------------------------------------

  @Test
  void nothingIsLeftInEitherProcess() throws Exception {
    client.ask("churn " + owner.pid() + " r 1000", Patience.LONG);
    owner.ask("churnGrants r 1000");
    Children.soon().until(() -> mappings().equals("0"));
    Census ofOwner = children.census(owner);
    Census ofClient = children.census(client);
    List<Path> files = Census.files(children.directory());
    long heapOfOwner = heap(owner);
    long heapOfClient = heap(client);
    client.ask("churn " + owner.pid() + " r 10000", Patience.LONG);
    owner.ask("churnGrants r 10000");
    Children.soon().until(() -> mappings().equals("0"));
    children.awaitCensus(owner, ofOwner);
    children.awaitCensus(client, ofClient);
    assertThat(Census.files(children.directory())).hasSameElementsAs(files);
    assertThat(heap(owner) - heapOfOwner).as("bytes more at the owner").isLessThan(LEAK);
    assertThat(heap(client) - heapOfClient).as("bytes more at the client").isLessThan(LEAK);
    assertThat(client.end()).isZero();
    assertThat(owner.end()).isZero();
    assertThat(client.errors()).isEmpty();
    assertThat(owner.errors()).isEmpty();
    assertThat(Census.files(children.directory())).isEmpty();
  }

  private static long heap(Peer peer) throws Exception {
    return Long.parseLong(peer.ask("heap"));
  }

  @Test
  void afterTheDirectoryWasRemovedRegionsAreExportedAnew() throws Exception {
    map(client, "c");
    try (Stream<Path> all = Files.walk(children.directory())) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
    owner.ask("set r 5");
    assertThat(client.ask("read c")).isEqualTo("OK 5");
    owner.ask("export s 4096 rwa");
    client.ask("map s " + owner.pid() + " s");
    assertThat(client.ask("read s")).isEqualTo("OK 0");
    assertThat(answer(client, "map d " + owner.pid() + " r")).isEqualTo("refused NO_MEMORY");
  }

  @Test
  void anAcceleratedProgramHasADomainToo() throws Exception {
    Peer accelerated =
        launch(List.of(), "-javaagent:" + Children.JAR, "-Dslipstream.dir=" + children.directory())
            .awaitReady();
    map(accelerated, "c");
    owner.ask("set r 7");
    assertThat(accelerated.ask("read c")).isEqualTo("OK 7");
    accelerated.ask("export theirs 4096 r");
    client.ask("map c " + accelerated.pid() + " theirs");
    assertThat(client.ask("read c")).isEqualTo("OK 0");
    assertThat(accelerated.end()).isZero();
    assertThat(accelerated.errors()).isEmpty();
  }
}
