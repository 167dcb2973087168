package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.it.process.Tool.Said;
import org.slipstream.testkit.Patience;

/**
 * {@code slipstream memory serve --zookeeper}, clients, and ZooKeeper, as processes that are killed
 * and stopped. The second server reaches ZooKeeper over a link of its own, which can be cut.
 */
class ZooKeeperServersIT extends ReservedMemory {
  /** The shortest that this ZooKeeper allows. */
  private static final int SESSION_SECONDS = 6;

  @TempDir private Path libraries;

  private final List<Process> servers = new ArrayList<>();
  private ZooKeeperProcess zooKeeper;
  private CutLink link;

  @BeforeEach
  void twoServersAndTwoClients() throws Exception {
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path jar = Path.of(entry).toAbsolutePath();
      if (entry.endsWith(".jar")) {
        Files.createSymbolicLink(libraries.resolve(jar.getFileName()), jar);
      }
    }
    zooKeeper = new ZooKeeperProcess(children.home(), libraries);
    link = new CutLink(zooKeeper.port());
    zooKeeper.start();
    holder = launch();
    other = launch();
    servers.add(serve(20_001, zooKeeper.port()));
    servers.add(serve(20_002, link.port()));
    join(holder);
    join(other);
  }

  @AfterEach
  void end() throws Exception {
    servers.forEach(Process::destroyForcibly);
    link.close();
    zooKeeper.close();
  }

  @Override
  String libraries() {
    return ":" + libraries + "/*";
  }

  private Peer join(Peer peer) throws Exception {
    peer.awaitReady().ask("directory " + zooKeeper.hosts() + " " + SESSION_SECONDS);
    return peer;
  }

  /** Four chunks. */
  private Process serve(int port, int directory) throws Exception {
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
                "--zookeeper=127.0.0.1:" + directory,
                "--address=127.0.0.1:" + port,
                "--libraries=" + libraries)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String line = process.inputReader().readLine();
    assertThat(line).startsWith("Lending 4 chunks of 64 KiB").contains("at 127.0.0.1:" + port);
    return process;
  }

  /** The other process works on what the holder has reserved. */
  private CompletableFuture<String> reservedAndMapped() throws Exception {
    reserveAndMap();
    assertThat(answer(other, "reserve n name " + CHUNK)).contains("reserved already");
    return other.begin("workOnReserved m");
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
    servers.add(serve(20_001, zooKeeper.port())); // at the same address
    Children.soon().until(() -> answer(holder, "reserve t - " + 4L * CHUNK).equals("ok"));
  }

  // -- in the middle of a reservation ----------------------------------------------------------

  /** Whatever it was doing: making its name, taking chunks, giving back, or between these. */
  @Test
  void aHolderThatIsKilledWhileItReservesHoldsNothing() throws Exception {
    for (int i = 0; i < 2; i++) {
      Peer victim = join(launch());
      CompletableFuture<String> churn =
          victim.begin("churnReserved name " + 3L * CHUNK + " 1000000");
      Children.soon().until(this::isTaken);
      Thread.sleep(5L * i); // another moment each time; not a wait for something
      assertThat(churn).isNotDone();
      victim.kill();
      assertAllIsLentAnewAndZero(holder);
    }
  }

  private boolean isTaken() throws Exception {
    String said = answer(other, "reserve n name " + CHUNK);
    if (said.equals("ok")) {
      other.ask("release n");
    }
    return said.contains("reserved already");
  }

  @Test
  void aServerThatIsKilledWhileProcessesReserveIsLeftOut() throws Exception {
    CompletableFuture<String> named = holder.begin("churnReserved name " + CHUNK + " 200");
    CompletableFuture<String> nameless = other.begin("churnReserved - " + 2L * CHUNK + " 200");
    Thread.sleep(20); // not a wait for something: they are somewhere in the middle
    servers.getFirst().destroyForcibly().waitFor();
    assertThat(holder.result(named, Patience.LONG, "churn")).isEqualTo("ok");
    assertThat(other.result(nameless, Patience.LONG, "churn")).isEqualTo("ok");
    servers.add(serve(20_001, zooKeeper.port()));
    assertAllIsLentAnewAndZero(other);
  }

  /** It lends what it is asked for, and hears of the holder's end when it is back. */
  @Test
  void aServerThatIsCutOffFromZooKeeperLendsAndEndsLeasesLater() throws Exception {
    link.cut();
    final CompletableFuture<String> work = reservedAndMapped();
    holder.kill();
    assertThat(other.result(work, Patience.DEADLINE, "work")).isEqualTo("ok REVOKED");
    assertThat(answer(other, "reserve n new " + 8L * CHUNK)).contains("are needed");
    link.mend();
    assertAllIsLentAnewAndZero(other);
  }

  // -- ZooKeeper -------------------------------------------------------------------------------

  @Test
  void whatIsMappedGoesOnWhenZooKeeperIsKilledAndReservingWhenItIsBack() throws Exception {
    final CompletableFuture<String> work = reservedAndMapped();
    zooKeeper.kill();
    assertThat(answer(other, "reserve n new " + CHUNK)).contains("does not answer");
    assertThat(answer(other, "mapReserved n name")).contains("does not answer");
    Thread.sleep(1500L * SESSION_SECONDS); // not a wait for something: nothing is to happen
    assertThat(work).isNotDone();
    assertThat(holder.ask("statusOfReserved r")).isEqualTo("OK");
    zooKeeper.start();
    Children.soon().until(() -> answer(other, "reserve n new " + CHUNK).equals("ok"));
    other.ask("release n");
  }

  // -- ordinary life ---------------------------------------------------------------------------

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
