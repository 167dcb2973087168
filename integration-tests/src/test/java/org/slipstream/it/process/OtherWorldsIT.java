package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.TestDirectory;

/** Peers on the same kernel that must not share memory: another namespace, another user. */
class OtherWorldsIT {
  private static final String NAMESPACE = "slipstream-it-" + ProcessHandle.current().pid();
  private static final String DEVICE = "sst" + ProcessHandle.current().pid() % 100_000;
  private static final String NEAR = "10.213.77.1";
  private static final String FAR = "10.213.77.2";
  private static final List<String> AS_NOBODY =
      List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");

  /** The length of a fault in milliseconds; not a wait for something. */
  private static final long FAULT_MS = 300;

  @RegisterExtension final Children children = new Children();

  private boolean namespaceMade;

  @AfterEach
  void removeNamespace() throws Exception {
    if (namespaceMade) {
      run("ip", "link", "del", DEVICE + "a");
      run("ip", "netns", "del", NAMESPACE);
    }
  }

  @Test
  void aPeerInAnotherNetworkNamespaceIsOnTheRingIfItSharesTheDirectory() throws Exception {
    makeNamespace();
    Peer server = children.accelerated();
    Peer client = inNamespace();
    int port = Integer.parseInt(server.ask("listen l 0 0.0.0.0"));
    server.ask("serve l echo");
    client.ask("connect c " + port + " " + NEAR);
    children.upgrade(client, "c");
    children.carry(client, "exchange c 200 20000 1", 2 * 200 * 9_000);
    client.ask("close c");
    // The same address and port in its own namespace is another listener: no mix-up.
    client.ask("listen l " + port + " 0.0.0.0");
    client.ask("serve l echo");
    client.ask("connect d " + port);
    server.ask("connect d " + port + " " + FAR);
    Children.soon()
        .until(() -> {
          client.ask("exchange d 20 2000 1");
          server.ask("exchange d 20 2000 1");
          List<StreamLine> all = children.streams();
          return all.size() == 4 && all.stream().allMatch(StreamLine::onRing);
        });
    client.ask("exchange d 200 2000 1");
    server.ask("exchange d 200 2000 1");
    assertThat(server.errors()).isEmpty();
    assertThat(client.errors()).isEmpty();
  }

  @Test
  void aPeerInAnotherNetworkNamespaceWithItsOwnDirectoryIsReachedByTcp() throws Exception {
    makeNamespace();
    Peer server = children.accelerated();
    Peer client = inNamespace("-Dslipstream.dir=" + children.home().resolve("other"));
    int port = Integer.parseInt(server.ask("listen l 0 0.0.0.0"));
    server.ask("serve l echo");
    client.ask("connect c " + port + " " + NEAR);
    client.ask("exchange c 200 20000 1");
    awaitPlain(client, "NO_TRANSPORT");
    awaitPlain(server, "NOT_YET_ELIGIBLE");
    client.ask("exchange c 200 20000 1");
    awaitPlain(client, "NO_TRANSPORT");
    awaitPlain(server, "NOT_YET_ELIGIBLE");
    assertThat(server.errors()).isEmpty();
    assertThat(client.errors()).isEmpty();
  }

  /**
   * As two hosts whose cable is pulled: the bytes wait, and none is lost, on the ring or on TCP.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bytesWaitForALinkThatComesBack(boolean shared) throws Exception {
    makeNamespace();
    Peer server = children.accelerated();
    Peer client =
        shared
            ? inNamespace()
            : inNamespace("-Dslipstream.dir=" + children.home().resolve("other"));
    int port = Integer.parseInt(server.ask("listen l 0 0.0.0.0"));
    server.ask("serve l echo");
    client.ask("connect c " + port + " " + NEAR);
    if (shared) {
      children.upgrade(client, "c");
    }
    final long before = shared ? client.streams().getFirst().ringBytes() : 0;
    CompletableFuture<String> load = client.begin("load c 20000 1");
    for (boolean near : new boolean[] {true, false}) {
      setLink(near, "down");
      Thread.sleep(FAULT_MS);
      assertThat(load).isNotDone();
      setLink(near, "up");
    }
    if (shared) {
      Children.soon()
          .until(
              () -> client.streams().getFirst().ringBytes() - before, grown -> grown > 1_000_000);
    }
    client.ask("enough");
    assertThat(Integer.parseInt(client.ok(load, "the load"))).isPositive();
    if (shared) {
      children.upgrade(client, "c");
    } else {
      awaitPlain(client, "NO_TRANSPORT");
      awaitPlain(server, "NOT_YET_ELIGIBLE");
    }
    assertThat(server.errors()).isEmpty();
    assertThat(client.errors()).isEmpty();
  }

  /** One end of the cable; the kernel forgets its routes, and finds them again. */
  private static void setLink(boolean near, String state) throws Exception {
    int code =
        near
            ? run("ip", "link", "set", DEVICE + "a", state)
            : in("ip", "link", "set", DEVICE + "b", state);
    assertThat(code).isZero();
  }

  /**
   * All streams of a process come to be on TCP for the reasons that are named, one for each, and
   * have never been anywhere else.
   */
  private static void awaitPlain(Peer peer, String... reasons) {
    awaitPlain(peer, there -> assertThat(there).containsExactlyInAnyOrder(reasons));
  }

  private static void awaitPlain(Peer peer, Consumer<List<String>> reasons) {
    Children.soon()
        .untilAsserted(() -> {
          List<StreamLine> lines = peer.streams();
          reasons.accept(lines.stream().map(StreamLine::reason).toList());
          assertThat(lines)
              .allSatisfy(s -> {
                assertThat(s.onRing()).isFalse();
                assertThat(s.ringBytes()).isZero();
                assertThat(s.plainOut()).isGreaterThan(100_000);
                assertThat(s.plainIn()).isGreaterThan(100_000);
              });
        });
  }

  private Peer inNamespace(String... flags) throws Exception {
    return children
        .launch(children.acceleratedCommand(List.of("ip", "netns", "exec", NAMESPACE), flags))
        .awaitReady();
  }

  private void makeNamespace() throws Exception {
    try {
      require(run("ip", "netns", "add", NAMESPACE) == 0, "network namespaces can not be made here");
    } catch (IOException e) {
      require(false, "there is no ip command: " + e.getMessage());
    }
    namespaceMade = true;
    require(
        run("ip", "link", "add", DEVICE + "a", "type", "veth", "peer", "name", DEVICE + "b") == 0
            && run("ip", "link", "set", DEVICE + "b", "netns", NAMESPACE) == 0
            && run("ip", "addr", "add", NEAR + "/30", "dev", DEVICE + "a") == 0
            && run("ip", "link", "set", DEVICE + "a", "up") == 0
            && in("ip", "addr", "add", FAR + "/30", "dev", DEVICE + "b") == 0
            && in("ip", "link", "set", DEVICE + "b", "up") == 0
            && in("ip", "link", "set", "lo", "up") == 0,
        "two namespaces can not be joined here");
  }

  private static int in(String... command) throws Exception {
    List<String> all = new java.util.ArrayList<>(List.of("ip", "netns", "exec", NAMESPACE));
    all.addAll(List.of(command));
    return run(all.toArray(String[]::new));
  }

  /** With our directory, which Slipstream refuses there, or with one of its own. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPeerOfAnotherUserIsReachedByTcp(boolean itsOwnDirectory) throws Exception {
    try (TestDirectory directory = TestDirectory.create();
        PublicCopy copy = new PublicCopy()) {
      List<String> probe = new java.util.ArrayList<>(AS_NOBODY);
      probe.addAll(List.of("test", "-r", copy.classes(), "-a", "-x", Children.JAVA));
      require(
          run(probe.toArray(String[]::new)) == 0,
          "setpriv, and a JDK and a folder for temporary files that another user can read");
      Path theirs = directory.path();
      Files.setAttribute(theirs, "unix:uid", 65534);
      String[] flags =
          itsOwnDirectory
              ? new String[] {"-Dslipstream.dir=" + theirs.resolve("run")}
              : new String[0];
      Peer server = children.accelerated();
      Peer unrelated =
          children.launch(copy.command(children.acceleratedCommand(AS_NOBODY, flags))).awaitReady();
      unrelated.ask("connect c " + server.echo("l"));
      unrelated.ask("exchange c 100 20000 1");
      server.ask("connect c " + unrelated.echo("l"));
      server.ask("exchange c 100 20000 1");
      awaitPlain(unrelated, "PEER_NOT_ACCELERATED", "NOT_YET_ELIGIBLE");
      awaitPlain(server, "PEER_NOT_ACCELERATED", "NOT_YET_ELIGIBLE");
      assertThat(Files.exists(theirs.resolve("run"))).as("it runs").isEqualTo(itsOwnDirectory);
      assertThat(unrelated.errors()).hasSize(itsOwnDirectory ? 0 : 1);
      assertThat(server.errors()).isEmpty();
      unrelated.end(); // and removes what it made
    }
  }

  /** In a user namespace that maps no user, all users have one id, and this process too. */
  @Test
  void aUserThatCanNotBeToldFromOthersIsReachedByTcp() throws Exception {
    List<String> unmapped = List.of("unshare", "--user");
    try {
      require(run("unshare", "--user", "true") == 0, "user namespaces can not be made here");
    } catch (IOException e) {
      require(false, "there is no unshare: " + e.getMessage());
    }
    Peer server = children.accelerated();
    Peer other = children.launch(children.acceleratedCommand(unmapped)).awaitReady();
    other.ask("connect c " + server.echo("l"));
    other.ask("exchange c 100 20000 1");
    server.ask("connect c " + other.echo("l"));
    server.ask("exchange c 100 20000 1");
    awaitPlain(server, "PEER_NOT_ACCELERATED", "NOT_YET_ELIGIBLE");
    // It has no directory, so it looks for a peer only if its transports were still being opened.
    awaitPlain(
        other,
        reasons -> {
          assertThat(reasons).hasSize(2).isSubsetOf("NOT_YET_ELIGIBLE", "NO_TRANSPORT");
        });
    assertThat(children.streams(other)).isEmpty();
    assertThat(other.errors()).isEmpty();
    assertThat(server.errors()).isEmpty();
    List<String> doctor = new java.util.ArrayList<>(unmapped);
    doctor.addAll(List.of(Children.JAVA, "-Dslipstream.transports=shm", "-jar"));
    doctor.addAll(List.of(Children.JAR.toString(), "doctor", "--no-exchange"));
    Process process = new ProcessBuilder(doctor).redirectErrorStream(true).start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
      assertThat(said).contains("not available: user 65534 stands for every unmapped user");
      assertThat(process.exitValue()).as(said).isEqualTo(1);
    } finally {
      process.destroyForcibly();
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
