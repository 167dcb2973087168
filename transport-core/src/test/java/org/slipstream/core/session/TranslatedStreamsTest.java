package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.core.api.Reason;
import org.slipstream.core.identity.ConnectionName;
import org.slipstream.core.identity.SegmentHead;
import org.slipstream.core.stream.FakeSession;
import org.slipstream.core.stream.Stream;

/** A stream whose peer announces another address, and processes that say that they have it. */
class TranslatedStreamsTest {
  private static final int SEQUENCE = 0x12345678;
  private static final int CLOCK = 1_000;

  private final TimedReactor clock = new TimedReactor();
  private final FakeProcess process = new FakeProcess();
  private final FakeSession session = new FakeSession("peer");
  private final FakeSession liar = new FakeSession("liar");
  private final FakeEndpoint kernel = new FakeEndpoint();
  private final NamedConnections names = new NamedConnections();
  private final LinkTable links = new LinkTable(clock, (s, first) -> {});
  private final Offers offers =
      new Offers(
          links,
          List.of(kernel),
          new Nudger(clock),
          new Probes(SelectorProvider.provider(), clock),
          s -> {},
          s -> {},
          s -> false,
          s -> this.translated.unmatched(s));
  private final TranslatedStreams translated =
      new TranslatedStreams(List.of(kernel), links, names, offers, clock);
  private final AcceptedStreams accepted =
      new AcceptedStreams(
          links,
          clock,
          new PathBeacons(SelectorProvider.provider(), clock),
          channel -> true,
          names);
  private final FrameHandler frames =
      new FrameHandler(accepted, offers, translated, links, new Nudger(clock));
  private FakeProcess.Connection c;
  private Stream stream;

  @BeforeEach
  void connect() throws Exception {
    c = process.connection();
    stream = c.client();
    session.onOneKernel();
    liar.onOneKernel();
    kernel.listeners.addAll(List.of(session, liar)); // and usually none announces the address
    names.connected(new ConnectionName(SEQUENCE, CLOCK - 100, CLOCK + 100));
  }

  @AfterEach
  void close() throws Exception {
    process.close();
  }

  private void write() throws IOException {
    stream.write(ByteBuffer.allocate(1), false);
    clock.passes(1);
  }

  private static List<Byte> kinds(FakeSession session) {
    return session.sent().stream().map(frame -> frame.get(0)).toList();
  }

  private static long id(FakeSession session) {
    return session.sent().getLast().getLong(1);
  }

  private ByteBuffer found(long id, int sequence, int at) {
    ByteBuffer frame = Frame.allocate(Frame.FOUND, id).putInt(sequence).putInt(at);
    c.tuple().put(frame);
    return frame.flip();
  }

  private void search() throws IOException {
    offers.offer(stream);
    write();
  }

  @Test
  void aProcessThatKnowsTheNameGetsTheOffer() throws Exception {
    offers.offer(stream);
    assertThat(session.sent()).as("before the program writes").isEmpty();
    write();
    assertThat(kinds(session)).containsExactly(Frame.SEEK);
    assertThat(session.sent().getFirst().getShort(9)).isEqualTo((short) SEQUENCE);
    frames.received(session, found(id(session), SEQUENCE, CLOCK));
    assertThat(kinds(session)).containsExactly(Frame.SEEK, Frame.CLAIM);
    ByteBuffer claim = session.sent().getLast();
    assertThat(claim.getInt(9)).isEqualTo(SEQUENCE);
    assertThat(Tuple.get(claim.duplicate().position(13))).isEqualTo(c.tuple());
    assertThat(stream.reason()).isEqualTo(Reason.OFFERED);
    ByteBuffer accept = Frame.allocate(Frame.ACCEPT, claim.getLong(1)).putLong(9);
    frames.received(session, accept.put(new byte[16]).putLong(0).flip());
    assertThat(stream.link()).isNotNull();
    assertThat(kinds(liar)).as("asked, and no more").containsExactly(Frame.SEEK);
  }

  /** The half that was told, with all other halves. */
  @Test
  void aProcessThatDoesNotKnowTheWholeNameGetsNothing() throws Exception {
    search();
    for (int half = 1; half < 0x10000; half++) {
      frames.received(liar, found(id(liar), SEQUENCE ^ half << 16, CLOCK));
    }
    frames.received(liar, found(id(liar), SEQUENCE, CLOCK));
    assertThat(kinds(liar)).as("too late, after so many tries").containsExactly(Frame.SEEK);
    assertThat(stream.link()).isNull();
    assertThat(stream.reason()).isEqualTo(Reason.PEER_NOT_ACCELERATED);
  }

  @Test
  void theClockCountsToo() throws Exception {
    search();
    frames.received(liar, found(id(liar), SEQUENCE, CLOCK + 5_000));
    frames.received(liar, found(id(liar), SEQUENCE, CLOCK - 5_000));
    frames.received(liar, found(id(liar) + 1, SEQUENCE, CLOCK));
    assertThat(kinds(liar)).containsExactly(Frame.SEEK);
    assertThat(stream.link()).isNull();
    assertThat(stream.reason()).isEqualTo(Reason.PEER_NOT_ACCELERATED);
  }

  @Test
  void anAcceptanceOfALiarDoesNotCount() throws Exception {
    search();
    ByteBuffer accept = Frame.allocate(Frame.ACCEPT, id(liar)).putLong(9);
    frames.received(liar, accept.put(new byte[16]).putLong(0).flip());
    assertThat(stream.link()).isNull();
    assertThat(kinds(liar)).containsExactly(Frame.SEEK, Frame.CLOSED);
  }

  @Test
  void aProgramThatAcceptsLateIsAskedAgain() throws Exception {
    search();
    clock.passes(700);
    assertThat(kinds(session)).containsOnly(Frame.SEEK).hasSizeGreaterThan(2);
    frames.received(session, found(id(session), SEQUENCE, CLOCK));
    assertThat(kinds(session)).endsWith(Frame.CLAIM);
  }

  @Test
  void searchesThatFindNothingEndAndTheAddressIsLeftAlone() throws Exception {
    search();
    clock.passes(10_000);
    int asked = session.sent().size();
    clock.passes(10_000);
    assertThat(session.sent()).hasSize(asked);
    assertThat(stream.reason()).isEqualTo(Reason.PEER_NOT_ACCELERATED);
    int probes = names.probes();
    stream.stayPlain(Reason.NOT_YET_ELIGIBLE);
    translated.forget(stream);
    offers.offer(stream);
    assertThat(names.probes()).as("for the same address").isEqualTo(probes);
  }

  @Test
  void nothingIsKeptOfAStreamThatIsClosed() throws Exception {
    search();
    assertThat(translated.knows(stream)).isTrue();
    stream.close(false);
    translated.forget(stream);
    assertThat(translated.knows(stream)).isFalse();
    frames.received(session, found(id(session), SEQUENCE, CLOCK));
    assertThat(kinds(session)).containsExactly(Frame.SEEK);
    clock.passes(10_000);
    assertThat(kinds(session)).containsExactly(Frame.SEEK);
  }

  /**
   * Its name is not known before its program writes again, and it may have a link by then. The end
   * of a stream with a link is told only if the stream is known.
   */
  @Test
  void nothingIsKeptOfAClosedStreamThatNeverWrote() {
    offers.offer(stream);
    assertThat(translated.knows(stream)).as("its next write will tell its name").isTrue();
    assertThat(translated.size()).isEqualTo(1);
    translated.forget(stream);
    assertThat(translated.knows(stream)).isFalse();
    assertThat(translated.size()).isZero();
  }

  /** A thread that closes a stream asks whether it is known, perhaps just before it is. */
  @Test
  void aStreamThatIsClosedWhileItIsSearchedForIsNotKept() throws Exception {
    names.whenProbed(this::closeStream);
    offers.offer(stream);
    assertThat(names.probes()).isEqualTo(1);
    assertThat(translated.size()).isZero();
  }

  private void closeStream() {
    try {
      stream.close(false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void withoutListenersNothingIsProbed() throws Exception {
    kernel.listeners.clear();
    search();
    assertThat(names.probes()).isZero();
    assertThat(translated.knows(stream)).isFalse();
  }

  /** A service may have the port of its backend, whose wildcard listener is announced. */
  @Test
  void anAnnouncedAddressOfAnotherNetworkThatDoesNotAnswerMayBeAnotherOne() throws Exception {
    session.inAnotherNetwork();
    kernel.announcers.add(session);
    offers.offer(stream);
    assertThat(kinds(session)).containsExactly(Frame.OFFER);
    write();
    assertThat(kinds(session)).containsExactly(Frame.OFFER);
    clock.passes(40);
    write();
    assertThat(kinds(session)).containsExactly(Frame.OFFER, Frame.SEEK);
    frames.received(session, found(id(session), SEQUENCE, CLOCK));
    assertThat(kinds(session)).endsWith(Frame.CLAIM);
  }

  // -- the end that accepted ---------------------------------------------------------------------

  private ByteBuffer claim(int sequence) {
    ByteBuffer frame = Frame.allocate(Frame.CLAIM, 5).putInt(sequence);
    c.tuple().put(frame);
    return frame.putLong(1).flip();
  }

  @Test
  void aConnectionIsFoundByHalfItsNumberAndClaimedByAllOfIt() throws Exception {
    names.accepted(c.server().tcp(), new SegmentHead(SEQUENCE, 0, CLOCK));
    accepted.add(c.tuple(), c.server());
    frames.received(session, Frame.allocate(Frame.SEEK, 4).putShort((short) SEQUENCE).flip());
    ByteBuffer answer = session.sent().getFirst();
    assertThat(answer.get(0)).isEqualTo(Frame.FOUND);
    assertThat(answer.getLong(1)).isEqualTo(4);
    assertThat(answer.getInt(9)).isEqualTo(SEQUENCE);
    assertThat(answer.getInt(13)).isEqualTo(CLOCK);
    assertThat(Tuple.get(answer.duplicate().position(17))).isEqualTo(c.tuple());
    session.inAnotherNetwork();
    frames.received(session, claim(SEQUENCE));
    assertThat(kinds(session)).containsExactly(Frame.FOUND, Frame.ACCEPT);
    assertThat(c.server().link()).isNotNull();
  }

  @Test
  void aLaterConnectionOfTheSameAddressesIsNotTheOneThatWasFound() throws Exception {
    names.accepted(c.server().tcp(), new SegmentHead(SEQUENCE + 1, 0, CLOCK));
    accepted.add(c.tuple(), c.server());
    frames.received(session, claim(SEQUENCE));
    assertThat(kinds(session)).containsExactly(Frame.REFUSE);
    assertThat(c.server().link()).isNull();
    assertThat(accepted.waitingOffers()).isZero();
  }

  @Test
  void aClaimDoesNotWaitForAConnection() throws Exception {
    frames.received(session, claim(SEQUENCE));
    assertThat(kinds(session)).containsExactly(Frame.REFUSE);
    assertThat(accepted.waitingOffers()).isZero();
  }

  @Test
  void ofManyConnectionsWithOneHintAnAnswerNamesEight() throws Exception {
    for (int i = 0; i < 20; i++) {
      FakeProcess.Connection d = process.connection();
      names.accepted(d.server().tcp(), new SegmentHead(i << 16, 0, CLOCK));
      accepted.add(d.tuple(), d.server());
    }
    frames.received(session, Frame.allocate(Frame.SEEK, 4).putShort((short) 0).flip());
    assertThat(session.sent().getFirst().remaining()).isEqualTo(9 + 8 * (8 + Tuple.BYTES));
  }

  @Test
  void betweenHostsNoConnectionHasAName() {
    FakeSession far = new FakeSession("far");
    for (ByteBuffer frame :
        List.of(
            Frame.allocate(Frame.SEEK, 4).putShort((short) 0).flip(),
            found(4, SEQUENCE, CLOCK),
            claim(SEQUENCE))) {
      assertThatThrownBy(() -> frames.received(far, frame))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("between hosts");
    }
    assertThat(far.sent()).isEmpty();
  }
}
