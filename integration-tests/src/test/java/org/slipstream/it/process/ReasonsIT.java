package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.slipstream.core.api.Reason;
import org.slipstream.it.process.Tool.Said;
import org.slipstream.shm.ProcessInspector;

/**
 * Every reason why a stream is plain, as people meet it: it is provoked, and {@code ps} shows it
 * with its advice. UNPROVEN_PATH takes two networks ({@code OverlappingNetworksIT}). WRONG_PEER is
 * not here, as it takes a liar or the moment of a switch: {@code InboundSwitchTest}.
 */
class ReasonsIT {
  private static final Children CHILDREN = new Children();

  /** The address that a rule of all processes is about. */
  private static final String RULED = "127.0.0.7";

  /** Rings that grow would hold what is to overflow. */
  private static final String RING = "-Dslipstream.ring.size=256k";

  /** Larger than such a ring and smaller than what the kernel buffers for one connection. */
  private static final int OVERFLOW = 700_000;

  private static Peer server;
  private static Peer client;

  /** What this JVM, which is not accelerated, has opened. */
  private final List<Closeable> opened = new ArrayList<>();

  @BeforeAll
  static void start() throws Exception {
    CHILDREN.begin();
    List<Peer> pair = CHILDREN.acceleratedPair("-Dslipstream.rules=off address " + RULED, RING);
    server = pair.get(0);
    client = pair.get(1);
  }

  @AfterAll
  static void end() throws Exception {
    CHILDREN.end(true);
  }

  @AfterEach
  void closeAll() throws Exception {
    for (Closeable channel : opened) {
      channel.close();
    }
    client.ask("closeMany ");
    server.ask("closeMany ");
    server.ask("unlisten l");
    Children.soon().untilAsserted(() -> assertThat(CHILDREN.streams()).isEmpty());
    assertThat(client.errors()).isEmpty();
    assertThat(server.errors()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {
        "NONE",
        "OFFERED",
        "WRONG_PEER",
        "SLOWER_THAN_TCP", // SlowFabricTest
        "UNPROVEN_PATH", // OverlappingNetworksIT
        "PEER_SILENT", // OffersTest, EndpointContract
        // Of other hosts: RdmaPeersRow.
        "PEER_NO_MEMORY",
        "PEER_VERSION",
        "PEER_FORBIDS",
        "KEY_MISMATCH",
        "PEER_BUSY"
      })
  void psSaysWhyAStreamIsPlainAndWhatToDo(Reason reason) throws Exception {
    Peer its = provoke(reason, server.port("l"));
    try {
      Children.soon()
          .untilAsserted(() -> {
            assertThat(its.streams()).extracting(StreamLine::reason).containsExactly("" + reason);
            // The members of JSON, as ps passes them on; and what people read.
            assertThat(said(its)).contains(inJson(reason));
            assertThat(ps())
                .containsPattern(
                    "(?m)^%d .*  %s: %s$"
                        .formatted(its.pid(), reason, Pattern.quote(reason.advice())));
          });
    } finally {
      if (reason == Reason.DISABLED || reason == Reason.REVOKED) {
        switchIt("on");
      }
      if (!its.equals(client) && !its.equals(server)) {
        assertThat(its.end()).isZero();
      }
    }
  }

  /** For 5 s only, which a process that begins now may need: the client says it itself. */
  @Test
  void anOfferIsUnderWay() throws Exception {
    int port = server.port("l");
    Children.soon()
        .until(() -> {
          client.ask("closeMany c");
          client.ask("connect c " + port); // and no thread accepts it
          talk(client);
          return saysAfterAll(Reason.NOT_YET_ELIGIBLE).contains(inJson(Reason.OFFERED));
        });
  }

  /** What the client says of its stream, once that has another reason. */
  private static String saysAfterAll(Reason before) {
    return Children.soon()
        .until(() -> client.ask("streams"), streams -> !streams.contains(inJson(before)));
  }

  private static String inJson(Reason reason) {
    return "\"reason\":\"" + reason + "\",\"advice\":\"" + reason.advice() + "\"";
  }

  private static String ps() throws Exception {
    Said said = Tool.run(List.of(), "ps", "--dir", CHILDREN.directory().toString());
    assertThat(said.code()).as(said.text()).isZero();
    return said.text();
  }

  private static String said(Peer its) throws IOException {
    return ProcessInspector.ask(CHILDREN.directory().toString(), "streams").stream()
        .filter(answer -> answer.startsWith("{\"pid\":" + its.pid() + ","))
        .findFirst()
        .orElse("nothing");
  }

  /** Returns the process whose only stream is plain for the reason. */
  private Peer provoke(Reason reason, int port) throws Exception {
    switch (reason) {
      case NOT_YET_ELIGIBLE -> {
        opened.add(SocketChannel.open(new InetSocketAddress("127.0.0.1", port)));
        server.ask("accept l s");
        return server; // no peer offers it
      }
      case TIMED_OUT -> {
        client.ask("connect c " + port); // and no thread accepts it
        talk(client);
      }
      case NO_TRANSPORT -> {
        return other(port, "-Dslipstream.transports=ntb");
      }
      case NO_MEMORY -> {
        return other(port, "-Dslipstream.memory.limit=0");
      }
      case PEER_NOT_ACCELERATED -> {
        ServerSocketChannel stock = ServerSocketChannel.open();
        opened.add(stock.bind(new InetSocketAddress("127.0.0.1", 0)));
        client.ask("connect c " + stock.socket().getLocalPort());
        talk(client);
      }
      case RULE -> {
        server.ask("unlisten l");
        client.ask("connect c " + server.ask("listen l 0 " + RULED) + " " + RULED);
        talk(client);
      }
      case REFUSED -> {
        connect(port);
        server.ask("inline s");
        talk(client);
      }
      case URGENT_DATA -> {
        connect(port);
        client.ask("inline c");
        talk(client);
      }
      case SELF_CONNECT -> {
        client.ask("connectToItself c");
        talk(client);
      }
      case DISABLED -> {
        onTheRing(port);
        switchIt("off " + client.pid());
      }
      case REVOKED -> {
        onTheRing(port);
        switchIt("off " + client.pid());
        return server;
      }
      case RING_FULL -> {
        onTheRing(port);
        client.ask("write c " + OVERFLOW + " 1");
      }
      case SWITCHING -> {
        connect(port);
        oneWay();
        return server;
      }
      case LINK_LOST -> {
        onTheRing(port);
        CHILDREN.hideListeners(); // or the stream would be joined again at once
        SessionKnife.cutAll(server.pid(), CHILDREN.directory());
      }
      default -> throw new AssertionError("no test provokes " + reason);
    }
    return client;
  }

  /** A process with a setting of its own. */
  private static Peer other(int port, String flag) throws Exception {
    Peer other = CHILDREN.accelerated(flag);
    other.ask("connect c " + port);
    server.ask("accept l s");
    talk(other);
    return other;
  }

  private static void connect(int port) throws Exception {
    client.ask("connect c " + port);
    server.ask("accept l s");
  }

  private static void onTheRing(int port) throws Exception {
    connect(port);
    CHILDREN.toTheRing(client, "c", server, "s");
  }

  /** Enough writes to be eligible for an offer. */
  private static void talk(Peer peer) throws Exception {
    for (int i = 0; i < 3; i++) {
      peer.ask("write c 10 1");
    }
  }

  /** The client's direction has left TCP, and the server has nothing to say. */
  private static void oneWay() {
    Children.soon()
        .until(() -> {
          client.ask("write c 10 1");
          server.ask("read s 10 1");
          return client.streams().getFirst().out().equals("ring");
        });
  }

  /** Who has no core at the moment is asked again; it does no harm to whom it reaches twice. */
  private static void switchIt(String question) {
    Children.soon()
        .until(() -> ProcessInspector.ask(CHILDREN.directory().toString(), question).size() >= 2);
  }
}
