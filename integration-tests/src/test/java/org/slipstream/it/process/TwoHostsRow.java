package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.slipstream.testkit.Patience;

/**
 * A client here and an echo server on another host, over one transport: the soak and the cuts of
 * the hardware kit. What {@code slipstream ps} shows around each is printed. Run by {@code
 * config/fabric-kit}.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
public class TwoHostsRow {
  /** Longer than a device tries. */
  private static final int CUT_SECONDS = Integer.getInteger("slipstream.kit.cut", 12);

  /** Of the soak, between two looks at what the sessions count. */
  private static final int LOOK_MS = OtherHost.minutes() == 0 ? 1_000 : 15_000;

  private static final Children CHILDREN = new Children();

  private static Peer client;
  private static Peer server;
  private static String port;

  @BeforeAll
  static void start() throws Exception {
    CHILDREN.begin();
    client = OtherHost.client(CHILDREN);
    serve();
  }

  private static void serve() throws Exception {
    server = OtherHost.peer(CHILDREN);
    port = server.ask("listen l 0 " + OtherHost.ADDRESS);
    server.ask("serve l echo");
  }

  @AfterAll
  static void stop() throws Exception {
    CHILDREN.end(true);
  }

  /** A stream that is older than the session may stay on TCP, so another one is tried. */
  @BeforeEach
  void connect() {
    Children.soon()
        .untilAsserted(() -> {
          client.ask("connect c " + port + " " + OtherHost.ADDRESS);
          String carrier = "";
          try {
            client.ask("exchange c 100 2000 1");
            carrier = carrier();
          } finally {
            if (!carrier.equals(OtherHost.TRANSPORT)) {
              client.ask("close c");
            }
          }
          assertThat(carrier).isEqualTo(OtherHost.TRANSPORT);
        });
  }

  @AfterEach
  void close() throws Exception {
    client.ask("close c");
  }

  private static StreamLine stream() throws Exception {
    return Children.soon().until(client::streams, lines -> lines.size() == 1).getFirst();
  }

  private static String carrier() throws Exception {
    return stream().carrier();
  }

  /** The only stream of the client carries again, over the transport. */
  private static void awaitReturn() {
    Children.soon()
        .untilAsserted(() -> {
          client.ask("exchange c 5 2000 1");
          assertThat(carrier()).isEqualTo(OtherHost.TRANSPORT);
        });
  }

  private static void show(String when) throws Exception {
    System.out.println("-- " + when);
    for (String table : new String[] {"--sessions", "--totals"}) {
      String directory = OtherHost.directory(CHILDREN);
      System.out.println(Tool.run(List.of(), "ps", table, "--dir", directory).text());
    }
  }

  // -- the soak --------------------------------------------------------------------------------

  @Test
  @Order(1)
  void everyByteOfASoakIsTheOneThatWasSent() throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(OtherHost.minutes());
    StreamLine before = stream();
    long bytes = 0;
    int looks = 0;
    do {
      String soak = "soak " + port + " 4 " + LOOK_MS + " " + looks + " " + OtherHost.ADDRESS;
      CompletableFuture<String> beside = client.begin(soak);
      client.ask("exchange c 100 30000 " + looks);
      bytes += Long.parseLong(client.ok(beside, Patience.LONG, soak));
      looks++;
      show(bytes + " bytes there and back, compared");
    } while (System.nanoTime() - end < 0);
    StreamLine after = stream();
    assertThat(after.ringBytes() - before.ringBytes())
        .as("bytes over %s", OtherHost.TRANSPORT)
        .isGreaterThan(after.plainBytes() - before.plainBytes());
  }

  // -- the cuts --------------------------------------------------------------------------------

  /** Everything waits, or goes on over TCP: nothing is lost. */
  @Test
  @Order(2)
  void aProcessThatStandsStillCostsNoByte() throws Exception {
    CompletableFuture<String> load = client.begin("load c 20000 1");
    server.ask("cut stop " + CUT_SECONDS);
    Thread.sleep(TimeUnit.SECONDS.toMillis(CUT_SECONDS + 3));
    assertThat(load).as("nothing is lost or changed").isNotDone();
    client.ask("enough");
    assertThat(Integer.parseInt(client.ok(load, "load"))).isPositive();
    awaitReturn();
    show("the other process stood still for " + CUT_SECONDS + " s");
  }

  @Test
  @Order(3)
  void aLinkThatIsDownForAWhileCostsNoByte() throws Exception {
    assumeFalse(OtherHost.link().isEmpty(), "no device was named that may be taken down (--link)");
    CompletableFuture<String> load = client.begin("load c 20000 1");
    server.ask("cut link " + CUT_SECONDS + " " + OtherHost.link());
    Thread.sleep(TimeUnit.SECONDS.toMillis(CUT_SECONDS + 3));
    client.ask("enough");
    assertThat(Integer.parseInt(client.ok(load, Patience.LONG, "load"))).isPositive();
    awaitReturn();
    show(OtherHost.link() + " was down for " + CUT_SECONDS + " s");
  }

  /** Last: another process takes its place. */
  @Test
  @Order(4)
  void aProcessThatIsKilledIsAnEndAndTheNextOneIsJoined() throws Exception {
    CompletableFuture<String> exchange = client.begin("exchangeToEnd c 20000 1");
    server.ask("cut kill 0");
    String said = client.ok(exchange, "the end of an exchange with a process that is killed");
    assertThat(said).matches("(eof|reset|broken) \\d+.*");
    show("the other process was killed: " + said);
    client.ask("close c");
    serve();
    connect();
    client.ask("exchange c 100 20000 1");
    show("another process is in its place");
  }
}
