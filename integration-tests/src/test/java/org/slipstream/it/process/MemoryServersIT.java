package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.it.process.Tool.Said;
import org.slipstream.testkit.Patience;

/**
 * Memory servers, holders and those that map what others hold, in processes that are killed and
 * stopped in each state. The first server is the eldest, which decides about names.
 */
class MemoryServersIT extends ReservedMemory {
  private Peer eldest;
  private Peer second;

  @BeforeEach
  void fourProcesses() throws Exception {
    eldest = launch();
    second = launch();
    holder = launch();
    other = launch();
    eldest.awaitReady();
    second.awaitReady();
    holder.awaitReady();
    other.awaitReady();
    assertThat(eldest.ask("serve " + 4 * CHUNK + " " + CHUNK)).isEqualTo("4");
    assertThat(second.ask("serve " + 4 * CHUNK + " " + CHUNK)).isEqualTo("4");
  }

  private void awaitFree(Peer server, int chunks) {
    Children.soon().until(() -> server.ask("free").equals("" + chunks));
  }

  /** The other process works on what the holder has reserved. */
  private CompletableFuture<String> reservedAndMapped() throws Exception {
    reserveAndMap();
    assertThat(eldest.ask("free")).isEqualTo("1");
    assertThat(second.ask("free")).isEqualTo("1");
    return other.begin("workOnReserved m");
  }

  // -- the holder ------------------------------------------------------------------------------

  @Test
  void aKilledHolderHoldsNothing() throws Exception {
    final CompletableFuture<String> work = reservedAndMapped();
    holder.kill();
    assertThat(other.result(work, Patience.DEADLINE, "work")).isEqualTo("ok REVOKED");
    awaitFree(eldest, 4);
    awaitFree(second, 4);
    assertAllIsLentAnewAndZero(other);
  }

  @Test
  void aStoppedHolderHoldsAndItsMemoryGoesOn() throws Exception {
    final CompletableFuture<String> work = reservedAndMapped();
    holder.stop();
    assertThat(answer(other, "reserve n name " + CHUNK)).contains("already");
    other.ask("reserve n - " + CHUNK);
    assertThat(work).isNotDone();
    holder.kill();
    assertThat(other.result(work, Patience.DEADLINE, "work")).isEqualTo("ok REVOKED");
    other.ask("release n");
    awaitFree(eldest, 4);
    awaitFree(second, 4);
  }

  /** Whatever it was doing: reserving, giving back, or between the two. */
  @Test
  void aHolderThatIsKilledWhileItReservesHoldsNothing() throws Exception {
    for (int i = 0; i < 4; i++) {
      Peer victim = launch().awaitReady();
      CompletableFuture<String> churn =
          victim.begin("churnReserved name " + 3L * CHUNK + " 1000000");
      Children.soon().until(() -> !eldest.ask("free").equals("4"));
      Thread.sleep(i); // another moment each time; not a wait for something
      assertThat(churn).isNotDone();
      victim.kill();
      awaitFree(eldest, 4);
      awaitFree(second, 4);
    }
    assertAllIsLentAnewAndZero(other);
  }

  /** A process that is stopped and has it mapped could still read it. */
  @Test
  void aChunkIsNotLentAnewAsLongAsAStoppedProcessHasItMapped() throws Exception {
    holder.ask("reserve r name " + 6L * CHUNK);
    other.ask("mapReserved m name");
    other.stop();
    holder.ask("release r");
    holder.ask("reserve r name " + 2L * CHUNK); // of the two that no process has
    assertThat(eldest.ask("free")).isEqualTo("0");
    assertThat(second.ask("free")).isEqualTo("0");
    other.signal("CONT");
    awaitFree(eldest, 3);
    awaitFree(second, 3);
    assertThat(other.ask("statusOfReserved m")).isEqualTo("REVOKED");
  }

  // -- servers ---------------------------------------------------------------------------------

  @Test
  void ofAKilledServerOnlyItsPartsAreLost() throws Exception {
    final CompletableFuture<String> work = reservedAndMapped();
    second.kill();
    assertThat(other.result(work, Patience.DEADLINE, "work")).isEqualTo("ok LOST");
    awaitStatus(holder, "r", "LOST");
    assertThat(answer(other, "reserve n name " + CHUNK)).contains("already");
    assertThat(answer(other, "mapReserved n name")).isEqualTo("refused NO_REGION");
    holder.ask("release r");
    awaitFree(eldest, 4);
    other.ask("reserve n name " + 4L * CHUNK);
    assertThat(other.ask("sum n")).isEqualTo("0");
  }

  /** It decides about names, and keeps those of its own chunks only. */
  @Test
  void afterTheEldestServerTheNextOneDecides() throws Exception {
    holder.ask("reserve one one " + CHUNK);
    holder.ask("reserve two two " + CHUNK); // on the other server
    String kept = eldest.ask("free").equals("3") ? "ok" : "none";
    assertThat(kept).isEqualTo("ok");
    eldest.kill();
    Children.soon()
        .until(() ->
            holder.ask("statusOfReserved one").equals("LOST")
                != holder.ask("statusOfReserved two").equals("LOST"));
    String left = holder.ask("statusOfReserved one").equals("OK") ? "one" : "two";
    other.ask("mapReserved m " + left);
    assertThat(answer(other, "reserve n " + left + " " + CHUNK)).contains("already");
    other.ask("reserve n three " + 3L * CHUNK);
    holder.ask("mapReserved m three");
  }

  @Test
  void aServerThatIsKilledWhileProcessesReserveIsLeftOut() throws Exception {
    CompletableFuture<String> named = holder.begin("churnReserved name " + CHUNK + " 300");
    CompletableFuture<String> nameless = other.begin("churnReserved - " + 2L * CHUNK + " 300");
    Children.soon().until(() -> !eldest.ask("free").equals("4"));
    eldest.kill();
    assertThat(holder.result(named, Patience.LONG, "churn")).isEqualTo("ok");
    assertThat(other.result(nameless, Patience.LONG, "churn")).isEqualTo("ok");
    awaitFree(second, 4);
  }

  @Test
  void aStoppedServerKeepsOnlyNamesWaiting() throws Exception {
    eldest.stop();
    holder.ask("reserve r - " + 4L * CHUNK);
    assertThat(holder.ask("sum r")).isEqualTo("0");
    holder.ask("release r");
    awaitFree(second, 4);
    CompletableFuture<String> named = holder.begin("reserve n name " + CHUNK);
    eldest.kill();
    assertThat(holder.result(named, Patience.LONG, "reserve")).isEqualTo("ok");
  }

  // -- ordinary life ---------------------------------------------------------------------------

  @Test
  void nothingIsLeftAfterTenThousandChunks() throws Exception {
    holder.ask("churnReserved - " + 4L * CHUNK + " 20");
    awaitFree(eldest, 4);
    awaitFree(second, 4);
    final Census ofServer = children.census(eldest);
    final Census ofHolder = children.census(holder);
    holder.ask("churnReserved - " + 4L * CHUNK + " 2500", Patience.LONG);
    awaitFree(eldest, 4);
    awaitFree(second, 4);
    children.awaitCensus(eldest, ofServer);
    children.awaitCensus(holder, ofHolder);
    for (Peer peer : List.of(holder, other, second, eldest)) {
      assertThat(peer.end()).isZero();
      assertThat(peer.errors()).isEmpty();
    }
    assertThat(Census.files(children.directory())).isEmpty();
  }

  // -- the command -----------------------------------------------------------------------------

  @Test
  void theCommandServes() throws Exception {
    Process serve =
        new ProcessBuilder(
                Children.JAVA,
                "-jar",
                Children.JAR.toString(),
                "memory",
                "serve",
                "--size=1m",
                "--chunk=64k",
                "--dir=" + children.directory())
            .redirectErrorStream(true)
            .start();
    try {
      Children.soon()
          .until(() -> answer(holder, "reserve r name " + 20L * CHUNK).equals("ok")); // of 24
      assertThat(holder.ask("sum r")).isEqualTo("0");
    } finally {
      serve.destroyForcibly();
    }
    awaitStatus(holder, "r", "LOST");
  }

  @Test
  void theCommandSaysWhatIsWrong() throws Exception {
    String dir = "--dir=" + children.directory();
    Said none = Tool.run(List.of(), "memory", "serve", "--size=999999t", dir);
    assertThat(none.text()).contains("there is room for 0 of").contains("remount");
    assertThat(none.code()).isEqualTo(1);
    Said wrong = Tool.run(List.of(), "memory", "serve", "--size=much", dir);
    assertThat(wrong.text()).contains("'much' is no size");
    assertThat(wrong.code()).isEqualTo(2);
    Said small = Tool.run(List.of(), "memory", "serve", "--size=1m", dir);
    assertThat(small.text()).contains("one chunk at least");
    assertThat(small.code()).isEqualTo(2);
    Said help = Tool.run(List.of(), "memory", "serve", "--help");
    assertThat(help.text()).contains("--chunk").contains("Exit codes");
    assertThat(help.code()).isZero();
  }
}
