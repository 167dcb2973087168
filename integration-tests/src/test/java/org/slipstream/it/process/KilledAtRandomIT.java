package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Seed;

/**
 * SIGKILL at random moments: of the first milliseconds, when streams switch, and in every second
 * repetition while bytes stream over the ring.
 */
class KilledAtRandomIT {
  private static final int REPETITIONS = 10;
  private static final int LATEST_MICROS = 45_000;

  @RegisterExtension final Seed seed = new Seed();
  @RegisterExtension final Children children = new Children();

  @Test
  void aServerOutlivesItsClients() throws Exception {
    Peer server = children.accelerated();
    int port = server.port("l");
    children.warm(server);
    final Census before = children.census(server);
    for (int i = 0; i < REPETITIONS; i++) {
      Peer client = children.accelerated();
      client.ask("connect c " + port);
      server.ask("accept l s");
      if (i % 2 == 1) {
        children.toTheRing(client, "c", server, "s");
      }
      CompletableFuture<String> reading = server.begin("readToEnd s 7");
      CompletableFuture<String> writing = server.begin("writeToEnd s 7");
      CompletableFuture<String> sending = client.begin("write c 1000000000 7");
      CompletableFuture<String> receiving = client.begin("read c 1000000000 7");
      waitAtRandom();
      client.kill();
      // Not "error … corrupt": nothing was wrong until then.
      assertThat(client.resultWithinOneSecond(sending, "the end")).isEqualTo("gone");
      assertThat(client.resultWithinOneSecond(receiving, "the end")).isEqualTo("gone");
      assertThat(Children.endWithinOneSecond(server, reading))
          .as("repetition %s, seed %s", i, seed)
          .matches("(eof|reset) .*");
      assertThat(Children.endWithinOneSecond(server, writing)).startsWith("broken");
      server.ask("close s");
      children.awaitCensus(server, before);
    }
    assertThat(server.errors()).isEmpty();
    assertTheNextProcessFindsOnlyOne();
  }

  @Test
  void aClientOutlivesItsServers() throws Exception {
    Peer client = children.accelerated();
    children.warm(client);
    final Census before = children.census(client);
    for (int i = 0; i < REPETITIONS; i++) {
      Peer server = children.accelerated();
      int port = server.echo("l");
      client.ask("connect c " + port);
      if (i % 2 == 1) {
        children.upgrade(client, "c");
      }
      CompletableFuture<String> talking = client.begin("exchange c 1000000 5000 " + seed);
      waitAtRandom();
      server.kill();
      assertThat(client.resultWithinOneSecond(talking, "the end"))
          .as("repetition %s, seed %s", i, seed)
          .startsWith("error java.")
          .doesNotContain("corrupt");
      client.ask("close c");
      children.awaitCensus(client, before);
    }
    assertThat(client.errors()).isEmpty();
    assertTheNextProcessFindsOnlyOne();
  }

  /** A victim that died before its session began is swept by the next process. */
  private void assertTheNextProcessFindsOnlyOne() throws Exception {
    children.accelerated().echo("l");
    Children.soon()
        .untilAsserted(() ->
            assertThat(Census.files(children.directory()))
                .filteredOn(p -> p.getFileName().toString().equals("ctl"))
                .hasSize(2));
  }

  /** Not to wait for anything: the moment is the random variable of the test. */
  private void waitAtRandom() {
    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(seed.random().nextInt(LATEST_MICROS)));
  }
}
