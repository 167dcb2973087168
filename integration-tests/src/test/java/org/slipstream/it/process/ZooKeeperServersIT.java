package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.it.process.Tool.Said;
import org.slipstream.testkit.Patience;

/**
 * {@code slipstream memory serve --zookeeper}, and clients, as processes that are killed and
 * stopped. ZooKeeper is one of this JVM.
 */
class ZooKeeperServersIT {
  private static final int CHUNK = 65536;

  /** The shortest that this ZooKeeper allows. */
  private static final int SESSION_SECONDS = 6;

  @RegisterExtension final Children children = new Children();
  @TempDir private Path libraries;

  private final List<Process> servers = new ArrayList<>();
  private TestingServer zooKeeper;
  private Peer holder;
  private Peer other;

  @BeforeEach
  void twoServersAndTwoClients() throws Exception {
    zooKeeper = new TestingServer(true);
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path jar = Path.of(entry).toAbsolutePath();
      if (entry.endsWith(".jar")) {
        Files.createSymbolicLink(libraries.resolve(jar.getFileName()), jar);
      }
    }
    holder = launch();
    other = launch();
    servers.add(serve(20_001));
    servers.add(serve(20_002));
    holder.awaitReady();
    other.awaitReady();
    for (Peer peer : List.of(holder, other)) {
      peer.ask("directory " + zooKeeper.getConnectString() + " " + SESSION_SECONDS);
    }
  }

  @AfterEach
  void end() throws Exception {
    servers.forEach(Process::destroyForcibly);
    zooKeeper.close();
  }

  private Peer launch() throws Exception {
    String path = Children.classes() + ":" + Children.JAR + ":" + libraries + "/*";
    return children.launch(
        List.of(
            Children.JAVA,
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xmx128m",
            "-cp",
            path,
            MemoryProgram.class.getName(),
            children.directory().toString()));
  }

  /** Four chunks. */
  private Process serve(int port) throws Exception {
    Process process =
        new ProcessBuilder(
                Children.JAVA,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-jar",
                Children.JAR.toString(),
                "memory",
                "serve",
                "--size=256k",
                "--chunk=64k",
                "--set=transports=shm",
                "--dir=" + children.directory(),
                "--zookeeper=" + zooKeeper.getConnectString(),
                "--address=127.0.0.1:" + port,
                "--libraries=" + libraries)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String line = process.inputReader().readLine();
    assertThat(line).startsWith("Lending 4 chunks of 64 KiB").contains("at 127.0.0.1:" + port);
    return process;
  }

  private void awaitStatus(Peer peer, String key, String status) {
    Children.soon().until(() -> peer.ask("statusOfReserved " + key).equals(status));
  }

  private String answer(Peer from, String command) throws Exception {
    return from.result(from.begin(command), Patience.DEADLINE, command);
  }

  /** Six of eight chunks, all of them written; the other process works on them. */
  private CompletableFuture<String> reservedAndMapped() throws Exception {
    holder.ask("reserve r name " + 6L * CHUNK);
    assertThat(holder.ask("fill r 1")).isEqualTo("OK OK");
    other.ask("mapReserved m name");
    assertThat(other.ask("sum m")).isEqualTo("" + 6L * CHUNK / 8);
    assertThat(answer(other, "reserve n name " + CHUNK)).contains("reserved already");
    return other.begin("workOnReserved m");
  }

  /** What the dead have held is lent anew, and has nothing of theirs. */
  private void assertAllIsLentAnewAndZero(Peer to) throws Exception {
    Children.soon().until(() -> answer(to, "reserve again name " + 8L * CHUNK).equals("ok"));
    assertThat(to.ask("sum again")).isEqualTo("0");
  }

  @Test
  void aKilledHolderHoldsNothingWhenItsSessionHasEnded() throws Exception {
    final CompletableFuture<String> work = reservedAndMapped();
    holder.kill();
    assertThat(other.result(work, Patience.DEADLINE, "work")).isEqualTo("ok REVOKED");
    assertAllIsLentAnewAndZero(other);
  }

  /** ZooKeeper takes it for dead; it is not, and hears so when it goes on. */
  @Test
  void aHolderThatIsStoppedForTooLongLosesItsLease() throws Exception {
    final CompletableFuture<String> work = reservedAndMapped();
    holder.stop();
    assertThat(other.result(work, Patience.DEADLINE, "work")).isEqualTo("ok REVOKED");
    holder.signal("CONT");
    awaitStatus(holder, "r", "REVOKED");
    holder.ask("release r");
    assertAllIsLentAnewAndZero(holder);
  }

  @Test
  void aKilledServerLosesItsChunksAndTheOtherLendsOn() throws Exception {
    final CompletableFuture<String> work = reservedAndMapped();
    servers.getFirst().destroyForcibly().waitFor();
    assertThat(other.result(work, Patience.DEADLINE, "work")).isEqualTo("ok LOST");
    awaitStatus(holder, "r", "LOST");
    other.ask("release m");
    holder.ask("release r");
    Children.soon().until(() -> answer(other, "reserve s small " + 4L * CHUNK).equals("ok"));
    assertThat(other.ask("sum s")).isEqualTo("0");
    servers.add(serve(20_001)); // at the same address
    Children.soon().until(() -> answer(holder, "reserve t - " + 4L * CHUNK).equals("ok"));
  }

  @Test
  void aReservationThatIsGivenBackIsFreeForOthers() throws Exception {
    final CompletableFuture<String> work = reservedAndMapped();
    holder.ask("release r");
    assertThat(other.result(work, Patience.DEADLINE, "work")).isEqualTo("ok REVOKED");
    assertThat(answer(other, "mapReserved n name")).isEqualTo("refused NO_REGION");
    assertAllIsLentAnewAndZero(other);
  }

  @Test
  void theCommandSaysWhatIsMissing() throws Exception {
    List<String> command = List.of("memory", "serve", "--size=64k", "--chunk=64k");
    String dir = "--dir=" + children.directory();
    Said bare = run(command, dir, "--zookeeper=127.0.0.1:1", "--address=127.0.0.1:20003");
    assertThat(bare.text())
        .contains("slipstream.jar has no ZooKeeper in it")
        .contains("--libraries");
    assertThat(bare.code()).isEqualTo(1);
    Said away =
        run(
            command,
            dir,
            "--zookeeper=127.0.0.1:1",
            "--address=127.0.0.1:20003",
            "--libraries=" + libraries);
    assertThat(away.text()).contains("ZooKeeper at 127.0.0.1:1 does not answer");
    assertThat(away.code()).isEqualTo(1);
    for (String wrong :
        List.of(
            "--zookeeper=127.0.0.1:1", "--address=127.0.0.1:20003", "--libraries=" + libraries)) {
      Said said = run(command, dir, wrong);
      assertThat(said.text()).containsAnyOf("need each other", "those of --zookeeper");
      assertThat(said.code()).as(wrong).isEqualTo(2);
    }
    for (String wrong : List.of("127.0.0.1", "0.0.0.0:1", "127.0.0.1:70000")) {
      Said said = run(command, dir, "--zookeeper=127.0.0.1:1", "--address=" + wrong);
      assertThat(said.code()).as(said.text()).isEqualTo(2);
    }
  }

  private static Said run(List<String> command, String... more) throws Exception {
    List<String> all = new ArrayList<>(command);
    all.addAll(List.of(more));
    return Tool.run(List.of(), all.toArray(new String[0]));
  }
}
