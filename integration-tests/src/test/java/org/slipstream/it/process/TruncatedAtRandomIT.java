package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Seed;

/**
 * Slabs of two processes are truncated at random moments, while every adapter is as busy as it can
 * be. Whatever an adapter says then is an {@link IOException}; every connection can be closed;
 * event loops, threads of pools and the control threads live on, and the next connections are on
 * the ring.
 *
 * <p>Both compilers, because what they compile hears of a lost mapping later than the interpreter.
 */
class TruncatedAtRandomIT {
  private static final int ROUNDS = 8;
  private static final int CONNECTIONS = 2;

  /** {@code SocketChannel} and {@code Socket}. */
  private static final int BLOCKING_ADAPTERS = 2;

  /** Compiled code is what there is after so long; at the first round only. */
  private static final Duration WARM_UP = Duration.ofSeconds(3);

  @RegisterExtension final Seed seed = new Seed();
  @RegisterExtension final Children children = new Children();

  private Peer start(int tiers, int spin) throws Exception {
    return children.launch(
        List.of(
            Children.JAVA,
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=" + tiers,
            "-Xmx256m",
            "-javaagent:" + Children.JAR,
            "-Dslipstream.spin.max=" + spin,
            "-Dslipstream.dir=" + children.directory(),
            "-cp",
            System.getProperty("java.class.path"),
            AdaptersProgram.class.getName()));
  }

  @ParameterizedTest(name = "up to tier {0}, spinning for {1} microseconds")
  @CsvSource({"1, 100", "4, 100", "4, 0"})
  void everyAdapterAnswersWithAnIoExceptionAndLivesOn(int tiers, int spin) throws Exception {
    Random random = seed.random();
    Peer server = start(tiers, spin);
    Peer client = start(tiers, spin);
    server.awaitReady();
    client.awaitReady();
    String ports = server.ask("serve");
    for (int round = 0; round < ROUNDS; round++) {
      connect(server, client, ports);
      if (spin == 0) {
        awaitFutexes(server, client);
      }
      client.ask("urgent true");
      Thread.sleep(round == 0 ? WARM_UP.toMillis() : random.nextInt(50));
      truncateSome(random, server, client);
      Thread.sleep(random.nextInt(300)); // a process that is going to fail has time to
      close(client);
      close(server);
      client.ask("urgent false");
      String when = "seed " + seed + ", round " + round;
      for (Peer peer : List.of(client, server)) {
        assertThat(peer.ask("wrong")).as(when).isEmpty();
        assertThat(peer.errors()).as(when).noneMatch(line -> line.contains("InternalError"));
      }
      Children.soon().untilAsserted(() -> assertThat(children.streams()).as(when).isEmpty());
    }
  }

  /**
   * Opens all connections. The truncation before may be noticed by one of these only, and ends the
   * session with its streams: then they are opened once more.
   */
  private void connect(Peer server, Peer client, String ports) throws Exception {
    AtomicInteger opened = new AtomicInteger();
    Children.soon()
        .untilAsserted(() -> {
          if (opened.get() == 0 || children.streams(client).size() < opened.get()) {
            close(client);
            close(server);
            opened.set(0);
            for (int i = 0; i < CONNECTIONS; i++) {
              client.ask("open " + ports);
            }
            opened.set(CONNECTIONS * AdaptersProgram.ADAPTERS);
          }
          Children.soon()
              .atMost(Patience.seconds(5))
              .untilAsserted(() ->
                  assertThat(children.streams(client))
                      .hasSize(opened.get())
                      .allMatch(s -> s.onRing() && s.ringIn() > 100_000));
        });
  }

  /** Blocked threads of both adapters that have some sleep on futexes. */
  private void awaitFutexes(Peer... peers) {
    for (Peer peer : peers) {
      Children.soon()
          .untilAsserted(() ->
              assertThat(children.streams(peer))
                  .filteredOn(s -> s.doorbell().equals("futex"))
                  .hasSizeGreaterThanOrEqualTo(CONNECTIONS * BLOCKING_ADAPTERS));
    }
  }

  private static void close(Peer peer) throws Exception {
    CompletableFuture<String> closing = peer.begin("close");
    assertThat(peer.result(closing, Patience.DEADLINE, "close")).isEqualTo("ok");
  }

  /** Of one process, the other, or both; to nothing, or so that some of it stays. */
  private void truncateSome(Random random, Peer server, Peer client) throws IOException {
    List<Path> slabs = new ArrayList<>();
    int which = random.nextInt(3);
    if (which != 0) {
      slabs.addAll(children.slabs(server));
    }
    if (which != 1) {
      slabs.addAll(children.slabs(client));
    }
    assertThat(slabs).isNotEmpty();
    for (Path slab : slabs) {
      try (RandomAccessFile file = new RandomAccessFile(slab.toFile(), "rw")) {
        file.setLength(random.nextBoolean() ? 0 : random.nextInt(100_000));
      } catch (FileNotFoundException e) {
        // The session ended with the first of its slabs; the number may be another file's by now.
        assertThat(children.isSlab(slab)).as(e.getMessage()).isFalse();
      }
    }
  }
}
