package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Patience;

/** No memory, no room, no descriptors: TCP goes on, and no byte is lost. */
class ScarceResourcesIT {
  /** Why a stream is plain where there is too little of something. */
  private static final Set<String> LITTLE = Set.of("NO_MEMORY", "REFUSED", "REVOKED");

  @RegisterExtension final Children children = new Children();

  private Path mounted;

  @AfterEach
  void unmount() throws Exception {
    if (mounted != null) {
      // Lazily: the children may still have it mapped; they are ended after this.
      assertThat(run("umount", "-l", mounted.toString())).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"client", "server"})
  void aMemoryLimitOfZeroMeansTcpWithItsReason(String poor) throws Exception {
    String flag = "-Dslipstream.memory.limit=0";
    Peer server = poor.equals("server") ? children.accelerated(flag) : children.accelerated();
    Peer client = poor.equals("client") ? children.accelerated(flag) : children.accelerated();
    client.ask("connect c " + server.echo("l"));
    client.ask("exchange c 100 20000 1");
    Children.soon()
        .untilAsserted(() -> assertThat(children.stream(client).reason()).isEqualTo("NO_MEMORY"));
    client.ask("exchange c 100 20000 1");
    assertThat(children.streams())
        .hasSize(2)
        .allSatisfy(s -> {
          assertThat(s.onRing()).isFalse();
          assertThat(s.ringBytes()).isZero();
        });
    assertThat(client.errors()).isEmpty();
    assertThat(server.errors()).isEmpty();
  }

  @Test
  void aMemoryLimitThatIsReachedLeavesLaterStreamsOnTcp() throws Exception {
    List<Peer> pair = children.acceleratedPair("-Dslipstream.memory.limit=1m");
    Peer client = pair.get(1);
    int port = pair.get(0).echo("l");
    client.ask("connectMany c " + port + " 100");
    for (int i = 0; i < 100; i++) {
      client.ask("exchange c" + i + " 8 30000 " + i);
    }
    // With traffic: the direction of a server switches at its next write.
    Children.soon()
        .until(() -> {
          for (int i = 0; i < 100; i++) {
            client.ask("exchange c" + i + " 2 30000 " + i);
          }
          List<StreamLine> all = children.streams(client);
          return all.size() == 100
              && all.stream().anyMatch(StreamLine::onRing)
              && all.stream().anyMatch(s -> !s.onRing())
              && all.stream().noneMatch(s -> !s.onRing() && s.reason().equals("NONE"));
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"16k", "1m"})
  void aRingMayHaveAnotherSize(String size) throws Exception {
    List<Peer> pair = children.acceleratedPair("-Dslipstream.ring.size=" + size);
    pair.get(1).ask("connect c " + pair.get(0).echo("l"));
    children.upgrade(pair.get(1), "c");
    children.carry(pair.get(1), "exchange c 100 15000 1", 2 * 100 * 6_000);
  }

  @Test
  void twoProcessesMayHaveRingsOfDifferentSizes() throws Exception {
    Peer server = children.accelerated("-Dslipstream.ring.size=16k");
    Peer client = children.accelerated("-Dslipstream.ring.size=1m");
    client.ask("connect c " + server.echo("l"));
    children.upgrade(client, "c");
    children.carry(client, "exchange c 200 15000 1", 2 * 200 * 6_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"64k", "1m", "4m"})
  void aFullFileSystemCostsNoByte(String size) throws Exception {
    mount(size);
    List<Peer> pair = children.acceleratedPair();
    Peer client = pair.get(1);
    int port = pair.get(0).echo("l");
    client.ask("connectMany c " + port + " 80");
    for (int round = 0; round < 3; round++) {
      List<CompletableFuture<String>> answers = new ArrayList<>();
      for (int i = 0; i < 80; i++) {
        answers.add(client.begin("exchange c" + i + " 4 60000 " + i));
      }
      for (CompletableFuture<String> answer : answers) {
        client.ok(answer, "exchange");
      }
    }
    assertOnTheRingOrExplained(client, 80, i -> "exchange c" + i + " 2 30000 " + i);
    assertThat(children.streams(client)).as("no room").anyMatch(s -> LITTLE.contains(s.reason()));
    client.ask("soak " + port + " 2 500 1");
    assertThat(client.isAlive()).isTrue();
    assertThat(pair.get(0).isAlive()).isTrue();
  }

  @Test
  void aFileSystemThatFillsUpLaterCostsNoByte() throws Exception {
    mount("4m");
    List<Peer> pair = children.acceleratedPair();
    Peer client = pair.get(1);
    int port = pair.get(0).echo("l");
    client.ask("connect c " + port);
    children.upgrade(client, "c");
    try {
      Files.write(mounted.resolve("ballast"), new byte[5 << 20]);
      assertThat(false).as("the file system is full").isTrue();
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("space");
    }
    client.ask("exchange c 100 100000 1");
    client.ask("connect d " + port);
    client.ask("exchange d 100 100000 1");
    assertOnTheRingOrExplained(client, 2, i -> "exchange " + "cd".charAt(i) + " 10 30000 1");
    assertThat(children.streams(client)).as("no room").anyMatch(s -> LITTLE.contains(s.reason()));
    client.ask("soak " + port + " 2 500 1");
  }

  /** With traffic: the direction of a server switches at its next write. */
  private void assertOnTheRingOrExplained(Peer client, int count, IntFunction<String> exchange) {
    Children.soon()
        .untilAsserted(() -> {
          for (int i = 0; i < count; i++) {
            client.ask(exchange.apply(i));
          }
          assertThat(children.streams(client))
              .hasSize(count)
              .allMatch(
                  s -> s.onRing() || LITTLE.contains(s.reason()) || s.reason().equals("RING_FULL"));
        });
  }

  private void mount(String size) throws Exception {
    Path directory = Files.createDirectory(children.directory());
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    require(
        run("mount", "-t", "tmpfs", "-o", "mode=700,size=" + size, "tmpfs", directory.toString())
            == 0,
        "a tmpfs can not be mounted here");
    mounted = directory;
  }

  @Test
  void aServerWithoutDescriptorsServesWhatTcpCouldServe() throws Exception {
    Peer server =
        children
            .launch(
                children.acceleratedCommand(
                    List.of("bash", "-c", "ulimit -n 60; exec \"$@\"", "sh")))
            .awaitReady();
    Peer client = children.accelerated();
    Peer plain = children.plain();
    int port = server.echo("l");
    // Before there is no descriptor left to load a class with.
    children.warm(server);
    plain.ask("connect warm " + port);
    plain.ask("exchange warm 20 20000 1");
    plain.ask("close warm");
    String taken = server.ask("connectMany taken " + plain.echo("l") + " 100");
    assertThat(taken).contains("Too many open files");
    for (int i = 0; i < 4; i++) {
      server.ask("close taken" + i);
    }
    // These take the last descriptors, and the session with the client would need one more.
    client.ask("connectMany c " + port + " 4");
    for (int round = 0; round < 10; round++) {
      exchangeAll(client, 4);
    }
    assertThat(children.streams(client)).hasSize(4).noneMatch(StreamLine::onRing);
    assertThat(children.streams(client))
        .allMatch(s -> Set.of("OFFERED", "TIMED_OUT", "PEER_SILENT").contains(s.reason()));
    server.ask("closeMany taken");
    exchangeAll(client, 4);
  }

  /** Descriptors are short for a while: that is no end of acceleration. */
  @Test
  void aServerThatHasDescriptorsAgainIsFoundAgain() throws Exception {
    Peer server =
        children
            .launch(
                children.acceleratedCommand(
                    List.of("bash", "-c", "ulimit -n 60; exec \"$@\"", "sh")))
            .awaitReady();
    Peer plain = children.plain();
    int port = server.echo("l");
    children.warm(server);
    plain.ask("connect warm " + port);
    plain.ask("exchange warm 20 20000 1");
    plain.ask("close warm");
    Path home = home(server);
    server.ask("connectMany taken " + plain.echo("l") + " 100");
    for (int i = 0; i < 4; i++) {
      server.ask("close taken" + i);
    }
    for (int i = 0; descriptors(server) < 58; i++) {
      plain.ask("connect fill" + i + " " + port);
      plain.ask("exchange fill" + i + " 1 100 1"); // so that it has been accepted
    }
    List<Peer> clients = children.acceleratedPair();
    for (Peer client : clients) {
      client.ask("connect c " + port);
    }
    // These took the last descriptors; the session of each client waits for one more.
    Children.soon().until(() -> descriptors(server) == 60);
    for (Peer client : clients) {
      client.ask("exchange c 100 2000 1");
    }
    Peer third = children.accelerated(); // it sweeps what looks dead
    third.echo("l");
    clients.get(0).ask("exchange c 20 2000 1");
    assertThat(home.resolve("ctl")).as("the control socket of a living process").exists();

    server.ask("closeMany taken");

    for (Peer client : clients) {
      Children.soon()
          .untilAsserted(() -> {
            client.ask("exchange c 5 2000 1");
            assertThat(children.streams(client)).hasSize(1).allMatch(StreamLine::onRing);
          });
    }
    // Its accept loop at the first listener ended when there was no descriptor.
    third.ask("connect c " + server.echo("later"));
    Children.soon()
        .untilAsserted(() -> {
          third.ask("exchange c 5 2000 1");
          assertThat(children.streams(third)).hasSize(1).allMatch(StreamLine::onRing);
        });
    assertThat(server.errors()).isEmpty();
  }

  private static long descriptors(Peer peer) throws IOException {
    try (var list = Files.list(Path.of("/proc/" + peer.pid() + "/fd"))) {
      return list.count();
    }
  }

  /** The only process in the runtime directory. */
  private Path home(Peer peer) {
    List<Path> sockets =
        Census.files(children.directory()).stream().filter(p -> p.endsWith("ctl")).toList();
    assertThat(sockets).as("of process %s", peer.pid()).hasSize(1);
    return sockets.getFirst().getParent();
  }

  @Test
  void aClientWithoutDescriptorsKeepsWhatItHas() throws Exception {
    Peer client =
        children
            .launch(
                children.acceleratedCommand(
                    List.of("bash", "-c", "ulimit -n 60; exec \"$@\"", "sh")))
            .awaitReady();
    Peer server = children.accelerated();
    int port = server.echo("l");
    // Before there is no descriptor left to load a class with.
    client.ask("connect first " + port);
    children.upgrade(client, "first");
    String made = client.ask("connectMany c " + port + " 100");
    assertThat(made).contains("Too many open files");
    int count = Integer.parseInt(made.substring(0, made.indexOf(' ')));
    assertThat(count).isGreaterThan(20);
    exchangeAll(client, count);
    client.ask("exchange first 20 2000 1");
    client.ask("closeMany c");
    client.ask("connect again " + port);
    children.upgrade(client, "again");
  }

  private static void exchangeAll(Peer client, int count) throws Exception {
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < count; i++) {
        client.ask("exchange c" + i + " 3 20000 " + i);
      }
    }
  }

  private static int run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
      if (!output.isEmpty()) {
        System.out.println(String.join(" ", command) + ": " + output);
      }
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }
}
