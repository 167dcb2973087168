package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One of two processes is killed with SIGKILL in each state that a stream has. The other sees the
 * end within one second, goes on, and holds afterwards what it held before.
 */
class KilledPeerIT {
  /** Rings that grow would hold what is to overflow. */
  private static final String RING = "-Dslipstream.ring.size=256k";

  /** Larger than such a ring and smaller than what the kernel buffers for one connection. */
  private static final int OVERFLOW = 700_000;

  /** How long the survivor is silent, in milliseconds: longer than anything that we do unasked. */
  private static final long SILENCE_MS = 1_000;

  @RegisterExtension final Children children = new Children();

  private Peer server;
  private Peer client;
  private Census serverBefore;
  private Census clientBefore;

  enum State {
    /** No byte was exchanged, so that no offer was made. */
    PLAIN,
    /** The server is stopped and does not answer the offer. */
    OFFERED,
    /** The client's MARK is out, but no byte is in its ring, and the server has read nothing. */
    MARKED,
    /** Both directions are on the ring. */
    RING,
    /** Both directions were on the ring, the client has ended its own. */
    CLIENT_HALF_CLOSED,
    /** Both directions were on the ring, the server has ended its own. */
    SERVER_HALF_CLOSED,
    /** The client's direction has fallen back to TCP, because the server does not read. */
    CLIENT_OVERFLOWED,
    /** The server's direction has fallen back to TCP, because the client does not read. */
    SERVER_OVERFLOWED,
    /** The session was cut while both lived, and both directions went on over TCP. */
    FAILED_OVER
  }

  @ParameterizedTest
  @EnumSource(State.class)
  void theClientSeesTheEndOfAKilledServer(State state) throws Exception {
    start(state);
    reach(state);
    server.kill();
    // Bytes that went over TCP before the kill may be read, as with TCP, but nothing else.
    CompletableFuture<String> reading = client.begin("readToEnd c " + OVERFLOW);
    assertThat(Children.endWithinOneSecond(client, reading)).matches("(eof|reset) .*");
    assertThat(Children.endWithinOneSecond(client, client.begin("writeToEnd c 7")))
        .startsWith("broken");
    client.ask("close c");
    assertNothingIsLeft(client, clientBefore, state);
    assertStillWorks(client);
  }

  @ParameterizedTest
  @EnumSource(State.class)
  void theServerSeesTheEndOfAKilledClient(State state) throws Exception {
    start(state);
    reach(state);
    client.kill();
    if (state == State.OFFERED) {
      server.signal("CONT");
    }
    if (state == State.OFFERED || state == State.MARKED) {
      server.ask("read s 1 1");
      server.ask("read s 1 1");
    }
    CompletableFuture<String> reading = server.begin("readToEnd s " + OVERFLOW);
    assertThat(Children.endWithinOneSecond(server, reading)).matches("(eof|reset) .*");
    if (state != State.SERVER_HALF_CLOSED) {
      assertThat(Children.endWithinOneSecond(server, server.begin("writeToEnd s 7")))
          .startsWith("broken");
    }
    server.ask("close s");
    assertNothingIsLeft(server, serverBefore, state);
    assertStillWorks(server);
  }

  @ParameterizedTest
  @EnumSource(
      value = State.class,
      names = {"PLAIN", "RING"})
  void aReadThatIsBlockedWhenTheServerIsKilledEnds(State state) throws Exception {
    start(state);
    reach(state);
    CompletableFuture<String> reading = client.begin("readToEnd c " + OVERFLOW);
    Children.soon().until(() -> Census.state(client.pid()) == 'S');
    server.kill();
    assertThat(Children.endWithinOneSecond(client, reading)).matches("(eof|reset) .*");
    client.ask("close c");
    assertNothingIsLeft(client, clientBefore, state);
  }

  @ParameterizedTest
  @EnumSource(
      value = State.class,
      names = {"PLAIN", "RING", "SERVER_HALF_CLOSED"})
  void aWriteThatIsBlockedWhenTheServerIsKilledEnds(State state) throws Exception {
    start(state);
    reach(state);
    CompletableFuture<String> writing = client.begin("writeToEnd c 7");
    server.stop(); // so that it is not the server that ends it
    assertThat(writing).isNotDone();
    server.kill();
    assertThat(Children.endWithinOneSecond(client, writing)).startsWith("broken");
    client.ask("close c");
    assertNothingIsLeft(client, clientBefore, state);
  }

  /** How a process ends that closes nothing. */
  enum Death {
    EXIT,
    HALT,
    KILL
  }

  /**
   * What was written lies in the ring and in the kernel, and only a reset could cost any of it: no
   * byte of the survivor's may reach the connection of a process that is gone.
   */
  @ParameterizedTest(name = "{0}, {1} bytes, accelerated: {2}")
  @CsvSource({
    "EXIT, 3000000, false",
    "HALT, 3000000, false",
    "KILL, 3000000, false",
    "EXIT, 700000, true",
    "EXIT, 3000000, true",
    "HALT, 700000, true",
    "HALT, 3000000, true",
    "KILL, 700000, true",
    "KILL, 3000000, true"
  })
  void whatAProcessHasWrittenBeforeItEndsArrives(Death death, int bytes, boolean accelerated)
      throws Exception {
    if (accelerated) {
      start(State.RING);
      reach(State.RING);
    } else {
      server = children.plain();
      client = children.plain();
      client.ask("connect c " + server.port("l"));
      server.ask("accept l s");
    }
    server.ask("write s " + bytes + " " + bytes);
    if (accelerated) {
      assertThat(children.stream(server).out()).as("overflowed").isEqualTo("plain");
    }
    if (death == Death.KILL) {
      server.kill();
    } else {
      server.begin(death == Death.EXIT ? "exit" : "halt").exceptionally(ended -> "gone");
      server.awaitExit();
    }
    Thread.sleep(SILENCE_MS);
    assertThat(client.ask("readToEnd c " + bytes)).isEqualTo("eof " + bytes);
  }

  // -- ways into the states --------------------------------------------------------------------

  /** Two warm processes with one connection, on which nothing was sent. */
  private void start(State state) throws Exception {
    List<Peer> pair = children.acceleratedPair(RING);
    server = pair.get(0);
    client = pair.get(1);
    int port = server.port("l");
    children.warm(server);
    children.warm(client);
    if (state == State.FAILED_OVER) {
      // The server's session with itself, so that only the one with the client is cut later.
      SessionKnife.cutAll(server.pid(), children.directory());
      Children.soon().until(() -> !SessionKnife.hasSessions(server.pid(), children.directory()));
    }
    serverBefore = children.census(server);
    clientBefore = children.census(client);
    client.ask("connect c " + port);
    server.ask("accept l s");
  }

  private void reach(State state) throws Exception {
    switch (state) {
      case PLAIN -> assertThat(children.stream(client).reason()).isEqualTo("NOT_YET_ELIGIBLE");
      case OFFERED -> {
        server.stop();
        client.ask("write c 1 1");
        client.ask("write c 1 1");
        // Questions to a stopped process take time; after five seconds the reason has that name.
        Children.soon().until(() -> children.stream(client).reason().matches("OFFERED|TIMED_OUT"));
      }
      case MARKED -> {
        client.ask("write c 1 1");
        client.ask("write c 1 1");
        Children.soon().until(() -> children.stream(client).out().equals("ring"));
        assertThat(children.stream(client).ringOut()).isZero();
        assertThat(children.stream(server).in()).isEqualTo("plain");
      }
      case RING -> children.toTheRing(client, "c", server, "s");
      case CLIENT_HALF_CLOSED -> {
        children.toTheRing(client, "c", server, "s");
        client.ask("shutdown c");
        assertThat(server.ask("readToEnd s 1")).isEqualTo("eof 0");
      }
      case SERVER_HALF_CLOSED -> {
        children.toTheRing(client, "c", server, "s");
        server.ask("shutdown s");
        assertThat(client.ask("readToEnd c 1")).isEqualTo("eof 0");
      }
      case CLIENT_OVERFLOWED -> {
        children.toTheRing(client, "c", server, "s");
        client.ask("write c " + OVERFLOW + " " + OVERFLOW);
        assertThat(children.stream(client).out()).isEqualTo("plain");
      }
      case FAILED_OVER -> {
        children.toTheRing(client, "c", server, "s");
        children.hideListeners(); // or the stream would be joined again at once
        SessionKnife.cutAll(server.pid(), children.directory());
        Children.soon()
            .untilAsserted(
                () -> assertThat(children.streams()).allMatch(l -> l.reason().equals("LINK_LOST")));
        client.ask("write c 10 1");
        server.ask("read s 10 1");
        server.ask("write s 10 1");
        client.ask("read c 10 1");
        assertThat(children.streams())
            .hasSize(2)
            .allMatch(l -> l.out().equals("plain") && l.in().equals("plain"));
      }
      case SERVER_OVERFLOWED -> {
        children.toTheRing(client, "c", server, "s");
        server.ask("write s " + OVERFLOW + " " + OVERFLOW);
        assertThat(children.stream(server).out()).isEqualTo("plain");
      }
    }
  }

  // -- what has to hold afterwards -------------------------------------------------------------

  private void assertNothingIsLeft(Peer survivor, Census before, State state) throws Exception {
    children.awaitCensus(survivor, before);
    if (state == State.PLAIN) {
      // There was no session that could have ended: the next process sweeps.
      Peer next = children.accelerated();
      next.echo("l");
      assertOwners(2);
      next.end();
    }
    assertOwners(1);
  }

  private void assertOwners(int count) {
    Children.soon()
        .untilAsserted(() ->
            assertThat(ownersIn(children.directory()))
                .as("processes with entries in the runtime directory")
                .hasSize(count));
  }

  /** The names of processes in the directory and in its port marks. */
  private static Set<String> ownersIn(Path directory) {
    return Census.files(directory).stream()
        .map(p -> p.getFileName().toString())
        .filter(n -> n.matches("[0-9a-f]{16}(-[0-9a-f]{32})?"))
        .map(n -> n.substring(0, 16))
        .collect(Collectors.toSet());
  }

  private void assertStillWorks(Peer survivor) throws Exception {
    Peer other = children.accelerated();
    int port = other.echo("e");
    survivor.ask("connect again " + port);
    children.upgrade(survivor, "again");
    assertThat(survivor.errors()).isEmpty();
    assertThat(survivor.foreignOutput()).isEmpty();
  }
}
