package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.core.api.Reason;
import org.slipstream.core.stream.FakeSession;
import org.slipstream.core.stream.Stream;
import org.slipstream.transport.Refusal;
import org.slipstream.transport.Session;

/** A peer that is looked for in a network. */
class OffersTest {
  private final TimedReactor clock = new TimedReactor();
  private final FakeProcess process = new FakeProcess();
  private final FakeSession session = new FakeSession("peer");
  private final Network network = new Network();
  private final Nudger nudger = new Nudger(clock);
  private final LostStreams lost =
      new LostStreams(clock, s -> {}, l -> {}, s -> this.offers.offer(s));
  private final Offers offers =
      new Offers(
          new LinkTable(clock, (s, first) -> {}),
          List.of(network),
          nudger,
          new Probes(SelectorProvider.provider(), clock),
          lost::retry,
          lost::seek,
          session -> this.away,
          stream -> {});

  /** Streams stay on TCP although there is a session. */
  private boolean away;

  private Stream stream;

  /** A transport whose searches take half a second. */
  private final class Network extends FakeEndpoint {
    boolean reachable = true;
    boolean peerAnswers;
    boolean mayFindLater = true;
    boolean remembers;
    @Nullable Refusal refusal;
    int searches;
    FakeSession found = session;

    @Override
    public boolean reaches(InetSocketAddress local, InetSocketAddress remote) {
      return reachable;
    }

    @Override
    public int findPeers(InetSocketAddress remote, Consumer<Session> answer, Runnable none) {
      if (remembers) {
        return 0;
      }
      searches++;
      clock.schedule(
          500_000_000,
          () -> {
            if (peerAnswers) {
              answer.accept(found);
            } else {
              none.run();
            }
          });
      return 1;
    }

    @Override
    public boolean mayFindLater(InetSocketAddress remote) {
      return mayFindLater;
    }

    @Override
    public @Nullable Refusal refusal(InetSocketAddress local, InetSocketAddress remote) {
      return refusal;
    }
  }

  @BeforeEach
  void connect() throws Exception {
    stream = process.connection().client();
  }

  @AfterEach
  void close() throws Exception {
    process.close();
  }

  private void passesBusily(int seconds) throws Exception {
    for (int i = 0; i < seconds; i++) {
      stream.write(ByteBuffer.allocate(1), false);
      clock.passes(1_000);
    }
  }

  @Test
  void aPeerThatDoesNotAnswerInTimeIsFoundLater() throws Exception {
    assertFoundLater(Reason.PEER_NOT_ACCELERATED);
  }

  @Test
  void aProcessThatWasFoundAndDoesNotAnswerIsNamedAndFoundLater() throws Exception {
    network.refusal = Refusal.SILENT;
    assertFoundLater(Reason.PEER_SILENT);
  }

  /** Its heap was full for a moment, or other sessions had the memory that it may lock. */
  @Test
  void aProcessWithoutMemoryForASessionLooksAgain() throws Exception {
    network.refusal = Refusal.NO_MEMORY_HERE;
    assertFoundLater(Reason.NO_MEMORY);
  }

  private void assertFoundLater(Reason meanwhile) throws Exception {
    offers.offer(stream);
    passesBusily(4);
    assertThat(stream.reason()).isEqualTo(meanwhile);
    network.peerAnswers = true;
    passesBusily(4);
    assertThat(stream.reason()).isEqualTo(Reason.OFFERED);
    assertThat(session.sent()).as("one offer").hasSize(1);
  }

  @Test
  void searchesInVainBecomeRare() throws Exception {
    offers.offer(stream);
    passesBusily(80);
    assertThat(network.searches).isEqualTo(5);
    assertThat(stream.reason()).isEqualTo(Reason.PEER_NOT_ACCELERATED);
  }

  @Test
  void aStreamThatComesWhenASilentPeerIsRememberedAsksAgainToo() throws Exception {
    network.remembers = true;
    offers.offer(stream);
    assertThat(stream.reason()).isEqualTo(Reason.PEER_NOT_ACCELERATED);
    network.remembers = false;
    network.peerAnswers = true;
    passesBusily(7);
    assertThat(session.sent()).hasSize(1);
  }

  @Test
  void wherePeersCanNotBeNoStreamAsksAgain() throws Exception {
    network.mayFindLater = false;
    offers.offer(stream);
    passesBusily(80);
    assertThat(network.searches).isEqualTo(1);
    assertThat(lost.size()).isZero();
  }

  @Test
  void aDeviceThatIsGoneEndsTheSearches() throws Exception {
    offers.offer(stream);
    passesBusily(2);
    network.reachable = false;
    passesBusily(80);
    assertThat(network.searches).isEqualTo(1);
    assertThat(stream.reason()).isEqualTo(Reason.NO_TRANSPORT);
    assertThat(lost.size()).isZero();
  }

  @Test
  void aSessionThatEndsInTheMomentOfTheOfferIsNoWantOfMemory() throws Exception {
    network.peerAnswers = true;
    session.endWhenAWindowIsWanted();
    offers.offer(stream);
    clock.passes(510);
    assertThat(session.isOpen()).isFalse();
    assertThat(stream.reason()).isEqualTo(Reason.LINK_LOST);
    network.found = new FakeSession("the same peer");
    passesBusily(2);
    assertThat(network.found.sent()).as("offered again").isNotEmpty();
    assertThat(stream.reason()).isEqualTo(Reason.OFFERED);
  }

  @Test
  void whereTcpIsFasterAStreamWaitsAndIsOfferedLater() throws Exception {
    network.peerAnswers = true;
    away = true;
    offers.offer(stream);
    passesBusily(2);
    assertThat(stream.reason()).isEqualTo(Reason.SLOWER_THAN_TCP);
    assertThat(session.sent()).isEmpty();
    away = false;
    passesBusily(10);
    assertThat(session.sent()).as("offers").hasSize(1);
    assertThat(stream.reason()).isEqualTo(Reason.OFFERED);
  }

  @Test
  void wantOfMemoryForAWindowIsFinal() throws Exception {
    network.peerAnswers = true;
    session.runOutOfMemory();
    offers.offer(stream);
    passesBusily(10);
    assertThat(stream.reason()).isEqualTo(Reason.NO_MEMORY);
    assertThat(network.searches).isEqualTo(1);
  }

  /** The control thread says again that the session is over. */
  @Test
  void anOfferWhoseLossIsHeardOfWithoutMemoryIsMadeAgain() throws Exception {
    network.peerAnswers = true;
    offers.offer(stream);
    clock.passes(510);
    assertThat(session.sent()).hasSize(1);
    clock.refusals = 2;
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> offers.sessionLost(session)).isInstanceOf(OutOfMemoryError.class);
    }
    offers.sessionLost(session);
    assertThat(offers.size()).isZero();
    network.found = new FakeSession("the same peer");
    passesBusily(2);
    assertThat(network.found.sent()).as("offered again").isNotEmpty();
  }

  @Test
  void aSearchWhoseOutcomeIsHeardOfWithoutMemoryGoesOn() throws Exception {
    offers.offer(stream);
    clock.passes(490);
    clock.refusals = 1;
    assertThatThrownBy(() -> clock.passes(20)).isInstanceOf(OutOfMemoryError.class);
    assertThat(stream.reason()).as("not answered yet").isEqualTo(Reason.OFFERED);
    network.peerAnswers = true;
    passesBusily(10);
    assertThat(session.sent()).as("found later").hasSize(1);
  }
}
