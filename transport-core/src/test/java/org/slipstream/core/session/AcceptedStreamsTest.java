package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.spi.SelectorProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.core.api.Reason;
import org.slipstream.core.identity.FirstSegments;
import org.slipstream.core.stream.FakeSession;

/** The server's table of offers: whichever comes second makes the match. */
class AcceptedStreamsTest {
  private final ManualReactor reactor = new ManualReactor();
  private final LinkTable links = new LinkTable(reactor, (stream, first) -> {});
  private final FakeProcess process = new FakeProcess();
  private final FakeSession session = new FakeSession("peer");
  private boolean connected = true;
  private final AcceptedStreams table =
      new AcceptedStreams(
          links,
          reactor,
          new PathBeacons(SelectorProvider.provider(), reactor),
          channel -> connected,
          new FirstSegments(null, reactor));
  private FakeProcess.Connection c;

  @BeforeEach
  void connect() throws Exception {
    c = process.connection();
  }

  @AfterEach
  void close() throws Exception {
    process.close();
  }

  private static String frame(ByteBuffer frame) {
    ByteBuffer b = frame.duplicate();
    byte type = b.get();
    return type + " " + b.getLong() + (type == Frame.REFUSE ? " " + b.get() : "");
  }

  private static Tuple tuple(int port) throws IOException {
    InetAddress here = InetAddress.getLoopbackAddress();
    return Tuple.of(new InetSocketAddress(here, port), new InetSocketAddress(here, 1));
  }

  @Test
  void theOfferMayComeAfterTheAccept() throws Exception {
    table.add(c.tuple(), c.server());
    table.offered(session, 5, FakeProcess.offer(c.tuple()));
    assertThat(session.sent()).hasSize(1);
    assertThat(frame(session.sent().getFirst())).isEqualTo(Frame.ACCEPT + " 5");
    assertThat(c.server().link()).isNotNull();
    assertThat(links.size()).isEqualTo(1);
    assertThat(table.waitingOffers()).isZero();
  }

  @Test
  void theAcceptMayComeAfterTheOffer() throws Exception {
    table.offered(session, 5, FakeProcess.offer(c.tuple()));
    assertThat(session.sent()).isEmpty();
    assertThat(table.waitingOffers()).isEqualTo(1);
    table.add(c.tuple(), c.server());
    reactor.run();
    assertThat(frame(session.sent().getFirst())).isEqualTo(Frame.ACCEPT + " 5");
    assertThat(c.server().link()).isNotNull();
  }

  @Test
  void everyAcceptHasANonceOfItsOwn() throws Exception {
    table.add(c.tuple(), c.server());
    table.offered(session, 5, FakeProcess.offer(c.tuple()));
    FakeProcess.Connection d = process.connection();
    table.add(d.tuple(), d.server());
    table.offered(session, 6, FakeProcess.offer(d.tuple()));
    assertThat(session.sent().get(0).slice(17, 16))
        .isNotEqualTo(session.sent().get(1).slice(17, 16));
  }

  @Test
  void aSocketThatTheKernelHasLostIsNotMatched() throws Exception {
    connected = false;
    table.add(c.tuple(), c.server());
    table.offered(session, 5, FakeProcess.offer(c.tuple()));
    assertThat(session.sent()).isEmpty();
    assertThat(c.server().link()).isNull();
  }

  /** Its socket is closed already, and the client's MARK would make the kernel drop its answer. */
  @Test
  void aStreamThatIsClosedWhileItsOfferIsMatchedIsRefused() throws Exception {
    session.whenAWindowIsWanted(() -> {
      try {
        c.server().close(true);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
    table.add(c.tuple(), c.server());
    table.offered(session, 5, FakeProcess.offer(c.tuple()));
    reactor.run();
    assertThat(session.sent()).hasSize(1);
    assertThat(frame(session.sent().getFirst()))
        .isEqualTo(Frame.REFUSE + " 5 " + Frame.REFUSED_NOT_ELIGIBLE);
    assertThat(links.size()).isZero();
    assertThat(session.windows().getFirst().freed()).isEqualTo(1);
  }

  /** A reset frees the client's port at once, and its offer may still be under way. */
  @Test
  void theOfferOfAnEarlierConnectionOfTheSameAddressesDoesNotKeepALaterOneOnTcp() throws Exception {
    table.add(c.tuple(), c.server());
    table.offered(session, 5, FakeProcess.offer(c.tuple()));
    table.withdrawn(session, 5);
    table.offered(session, 6, FakeProcess.offer(c.tuple()));
    assertThat(session.sent()).hasSize(2);
    assertThat(frame(session.sent().getLast())).isEqualTo(Frame.ACCEPT + " 6");
    assertThat(c.server().isJoinable()).as("it has a link that works").isFalse();
  }

  @Test
  void aStreamThatMustStayPlainRefuses() throws Exception {
    c.server().stayPlain(Reason.URGENT_DATA);
    table.add(c.tuple(), c.server());
    table.offered(session, 5, FakeProcess.offer(c.tuple()));
    assertThat(frame(session.sent().getFirst()))
        .isEqualTo(Frame.REFUSE + " 5 " + Frame.REFUSED_NOT_ELIGIBLE);
  }

  @Test
  void withoutMemoryTheOfferIsRefusedAndTheStreamSaysWhy() throws Exception {
    session.runOutOfMemory();
    table.add(c.tuple(), c.server());
    table.offered(session, 5, FakeProcess.offer(c.tuple()));
    assertThat(frame(session.sent().getFirst()))
        .isEqualTo(Frame.REFUSE + " 5 " + Frame.REFUSED_NO_MEMORY);
    assertThat(c.server().reason()).isEqualTo(Reason.NO_MEMORY);
  }

  /** The peer offers it again. */
  @Test
  void whenThereIsMemoryAgainTheNextOfferIsAccepted() throws Exception {
    FakeSession poor = new FakeSession("poor");
    poor.runOutOfMemory();
    table.add(c.tuple(), c.server());
    table.offered(poor, 5, FakeProcess.offer(c.tuple()));
    assertThat(c.server().reason()).isEqualTo(Reason.NO_MEMORY);
    table.offered(session, 6, FakeProcess.offer(c.tuple()));
    assertThat(frame(session.sent().getFirst())).isEqualTo(Frame.ACCEPT + " 6");
    assertThat(c.server().link()).isNotNull();
  }

  /** The next session brings another offer. */
  @Test
  void aSessionThatEndsInTheMomentOfTheMatchIsNoWantOfMemory() throws Exception {
    FakeSession over = new FakeSession("over");
    over.endWhenAWindowIsWanted();
    table.add(c.tuple(), c.server());
    table.offered(over, 5, FakeProcess.offer(c.tuple()));
    assertThat(over.isOpen()).isFalse();
    assertThat(c.server().reason()).isEqualTo(Reason.NOT_YET_ELIGIBLE);
    table.offered(session, 6, FakeProcess.offer(c.tuple()));
    assertThat(frame(session.sent().getFirst())).isEqualTo(Frame.ACCEPT + " 6");
    assertThat(c.server().link()).isNotNull();
  }

  @Test
  void aDescriptorThatIsNonsenseCostsNoWindow() throws Exception {
    table.add(c.tuple(), c.server());
    ByteBuffer body = FakeProcess.offer(c.tuple());
    table.offered(session, 5, body.limit(body.limit() - 3));
    assertThat(frame(session.sent().getFirst())).startsWith(Frame.REFUSE + " 5");
    assertThat(session.windows().getFirst().freed()).isEqualTo(1);
    assertThat(links.size()).isZero();
  }

  @Test
  void aTruncatedOfferIsAnIoException() {
    assertThatThrownBy(() -> table.offered(session, 5, ByteBuffer.allocate(20)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aSecondOfferForTheSameTupleReplacesTheFirst() throws Exception {
    table.offered(session, 5, FakeProcess.offer(c.tuple()));
    table.offered(session, 6, FakeProcess.offer(c.tuple()));
    assertThat(frame(session.sent().getFirst()))
        .isEqualTo(Frame.REFUSE + " 5 " + Frame.REFUSED_WITHDRAWN);
    table.add(c.tuple(), c.server());
    reactor.run();
    assertThat(frame(session.sent().getLast())).isEqualTo(Frame.ACCEPT + " 6");
  }

  @Test
  void aWithdrawnOfferIsAnsweredAndForgotten() throws Exception {
    table.offered(session, 5, FakeProcess.offer(c.tuple()));
    table.withdrawn(new FakeSession("liar"), 5);
    assertThat(table.waitingOffers()).as("only its own session may").isEqualTo(1);
    table.withdrawn(session, 5);
    assertThat(table.waitingOffers()).isZero();
    assertThat(frame(session.sent().getLast()))
        .isEqualTo(Frame.REFUSE + " 5 " + Frame.REFUSED_WITHDRAWN);
  }

  @Test
  void onePeerMayHaveSoManyUnmatchedOffersAndAnotherPeerStillGetsIn() throws Exception {
    for (int i = 0; i < 4_096; i++) {
      table.offered(session, i, FakeProcess.offer(tuple(i + 1)));
    }
    assertThat(session.sent()).isEmpty();
    table.offered(session, 9_999, FakeProcess.offer(tuple(60_000)));
    assertThat(frame(session.sent().getFirst()))
        .isEqualTo(Frame.REFUSE + " 9999 " + Frame.REFUSED_TOO_MANY);
    FakeSession honest = new FakeSession("honest");
    table.offered(honest, 1, FakeProcess.offer(tuple(60_001)));
    assertThat(honest.sent()).isEmpty();
    assertThat(table.waitingOffers()).isEqualTo(4_097);
    // One that ends makes room for one.
    table.withdrawn(session, 17);
    table.offered(session, 10_000, FakeProcess.offer(tuple(60_002)));
    assertThat(table.waitingOffers()).isEqualTo(4_097);
    table.sessionLost(session);
    assertThat(table.waitingOffers()).isEqualTo(1);
  }

  /**
   * A relay could be led to write the nonce of an unrelated process's offer on a connection of its
   * own.
   */
  @Test
  void anOfferFromAnAddressThatIsNotTheClientsIsRefused() throws Exception {
    session.speaksOnlyFor(InetAddress.ofLiteral("192.0.2.7"));
    table.add(c.tuple(), c.server());
    table.offered(session, 5, FakeProcess.offer(c.tuple()));
    assertThat(frame(session.sent().getFirst()))
        .isEqualTo(Frame.REFUSE + " 5 " + Frame.REFUSED_NOT_ELIGIBLE);
    assertThat(c.server().link()).isNull();
    assertThat(table.waitingOffers()).isZero();
    session.speaksOnlyFor(c.tuple().client());
    table.offered(session, 6, FakeProcess.offer(c.tuple()));
    assertThat(frame(session.sent().getLast())).isEqualTo(Frame.ACCEPT + " 6");
  }

  @Test
  void offersOfASessionThatMayNotJoinMoreWaitForItsProof() throws Exception {
    session.mayJoin(false);
    table.add(c.tuple(), c.server());
    table.offered(session, 5, FakeProcess.offer(c.tuple()));
    assertThat(session.sent()).isEmpty();
    assertThat(session.windows()).isEmpty();
    assertThat(table.waitingOffers()).isEqualTo(1);
    session.mayJoin(true);
    table.sessionProven(new FakeSession("another"));
    assertThat(session.sent()).isEmpty();
    table.sessionProven(session);
    assertThat(frame(session.sent().getFirst())).isEqualTo(Frame.ACCEPT + " 5");
  }

  @Test
  void aClientIsExpectedAsLongAsAConnectionOfItIsOpen() throws Exception {
    InetAddress client = c.tuple().client();
    assertThat(table.hasAcceptedFrom(client)).isFalse();
    FakeProcess.Connection d = process.connection();
    table.add(c.tuple(), c.server());
    table.add(c.tuple(), c.server()); // the tuple was used before
    table.add(d.tuple(), d.server());
    assertThat(table.hasAcceptedFrom(client)).isTrue();
    table.remove(c.tuple(), c.server());
    table.remove(c.tuple(), c.server());
    assertThat(table.hasAcceptedFrom(client)).isTrue();
    table.remove(d.tuple(), d.server());
    assertThat(table.hasAcceptedFrom(client)).isFalse();
  }
}
