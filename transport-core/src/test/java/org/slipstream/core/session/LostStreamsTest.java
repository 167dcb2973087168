package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.core.api.Reason;
import org.slipstream.core.stream.FakeSession;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.testkit.transport.HeapLink;

class LostStreamsTest {
  private final TimedReactor clock = new TimedReactor();
  private final LinkTable table = new LinkTable(clock, (stream, first) -> {});
  private final FakeProcess process = new FakeProcess();
  private final List<Stream> nudged = new ArrayList<>();

  /** Links for whose peers an open session was asked for. */
  private final List<StreamLink> sought = new ArrayList<>();

  /** When which stream was offered, in milliseconds. */
  private final List<Long> offers = new ArrayList<>();

  private final List<Stream> offered = new ArrayList<>();
  private final LostStreams lost =
      new LostStreams(
          clock,
          nudged::add,
          sought::add,
          stream -> {
            offers.add(clock.millis());
            offered.add(stream);
          });

  @AfterEach
  void close() throws Exception {
    process.close();
  }

  /** Over a link that may have lost bytes. */
  private StreamLink join(Stream stream) {
    return join(stream, true);
  }

  private StreamLink join(Stream stream, boolean lossy) {
    HeapLink.Pair heap = HeapLink.pair(4096, 4096);
    StreamLink link =
        new StreamLink(
            new FakeSession("peer"),
            table.newId(),
            1,
            heap.a().window(),
            lossy ? heap.a().proving() : heap.a(),
            new byte[16],
            table);
    assertThat(stream.attach(link)).isTrue();
    return link;
  }

  private Stream lose(Stream stream) {
    join(stream).markDead();
    lost.add(stream);
    return stream;
  }

  @Test
  void anOfferThatIsLostEachTimeIsMadeLessAndLessOften() throws Exception {
    Stream stream = process.connection().client();
    stream.stayPlain(Reason.LINK_LOST);
    lost.retry(stream);
    for (int before = 0; clock.millis() < 3_000; before = offers.size()) {
      clock.passes(1);
      if (offers.size() > before) {
        lost.retry(stream); // its session ended at once
      }
    }
    assertThat(offers).containsExactly(20L, 60L, 140L, 300L, 620L, 1260L, 2540L);
  }

  @Test
  void aLostStreamIsOfferedLessAndLessOften() throws Exception {
    Stream stream = lose(process.connection().client());
    assertThat(nudged).as("bytes that went with the link go out at once").containsExactly(stream);
    clock.passes(30_000);
    assertThat(offers)
        .containsExactly(
            20L, 60L, 140L, 300L, 620L, 1260L, 2540L, 5100L, 10_100L, 15_100L, 20_100L, 25_100L);
  }

  /** It waits for no link to come back, only until both ends have left the lost one. */
  @Test
  void aStreamThatHasAnotherSessionIsOfferedOftenForAWhile() throws Exception {
    Stream stream = process.connection().client();
    StreamLink link = join(stream);
    link.markDead();
    link.session().abort("the port is down");
    lost.add(stream);
    clock.passes(100);
    link.reachedOver(new FakeSession("peer"));
    clock.passes(1_700);
    assertThat(offers).startsWith(20L, 60L, 140L, 220L, 300L, 380L).hasSize(23);
    clock.passes(20_000);
    assertThat(offers.subList(23, offers.size()))
        .containsExactly(1_900L, 2_220L, 2_860L, 4_140L, 6_700L, 11_700L, 16_700L, 21_700L);
  }

  /** Its end of the other session may not have been heard yet, if the process is gone. */
  @Test
  void anotherSessionWithTheSameProcessCountsAMomentLater() throws Exception {
    Stream stream = process.connection().client();
    StreamLink link = join(stream, false);
    link.markDead();
    lost.add(stream);
    clock.passes(99);
    assertThat(sought).isEmpty();
    clock.passes(1);
    assertThat(sought).containsExactly(link);
    assertThat(nudged).containsExactly(stream, stream);
  }

  @Test
  void aStreamWhoseOfferWasLostIsOfferedUntilItHasAnAnswer() throws Exception {
    Stream stream = process.connection().client();
    stream.stayPlain(Reason.LINK_LOST);
    lost.retry(stream);
    clock.passes(30);
    stream.stayPlain(Reason.OFFERED);
    clock.passes(70);
    stream.stayPlain(Reason.PEER_NOT_ACCELERATED); // the way to it may be back later
    clock.passes(100);
    assertThat(offers).containsExactly(20L, 60L, 140L);
    stream.stayPlain(Reason.REFUSED);
    clock.passes(30_000);
    assertThat(offers).hasSize(3);
    assertThat(lost.size()).isZero();
  }

  @Test
  void theEndThatAcceptedOnlyFallsBack() throws Exception {
    Stream stream = lose(process.connection().server());
    clock.passes(30_000);
    assertThat(nudged).containsOnly(stream);
    assertThat(offers).isEmpty();
    assertThat(lost.size()).isZero();
  }

  @Test
  void noStreamWaitsForTheClockOfAnother() throws Exception {
    lose(process.connection().client());
    clock.passes(30_000);
    offered.clear();
    Stream second = lose(process.connection().client());
    clock.passes(140);
    assertThat(offered.stream().filter(second::equals)).hasSize(3);
  }

  @Test
  void aNewLinkEndsIt() throws Exception {
    Stream stream = lose(process.connection().client());
    clock.passes(70);
    join(stream);
    clock.passes(30_000);
    assertThat(offers).containsExactly(20L, 60L);
    assertThat(lost.size()).isZero();
  }

  @Test
  void anotherLossIsNewsAndOnlyOneClockRuns() throws Exception {
    Stream stream = lose(process.connection().client());
    clock.passes(1000);
    offers.clear();
    lose(stream);
    clock.passes(300);
    assertThat(offers).containsExactly(1020L, 1060L, 1140L, 1300L);
  }

  @Test
  void aClosedStreamIsForgottenWhenItsClockStrikes() throws Exception {
    Stream stream = lose(process.connection().client());
    stream.close(false);
    clock.passes(30_000);
    assertThat(offers).isEmpty();
    assertThat(lost.size()).isZero();
  }

  @Test
  void aClosedStreamIsForgottenAtOnce() throws Exception {
    Stream stream = lose(process.connection().client());
    Stream other = lose(process.connection().client());
    stream.close(false);
    lost.forget(stream);
    assertThat(lost.size()).isEqualTo(1);
    clock.passes(30);
    assertThat(offered).containsExactly(other);
    lost.forget(stream); // it is known no more
    assertThat(lost.size()).isEqualTo(1);
  }

  @Test
  void aStreamThatIsClosedBeforeItsLossIsKnownIsNotRemembered() throws Exception {
    Stream stream = process.connection().client();
    stream.close(false);
    lost.retry(stream);
    lost.seek(stream);
    assertThat(lost.size()).isZero();
  }

  /** The reactor keeps the task of a search for up to a minute. */
  @Test
  void theClockOfAForgottenStreamKeepsNothingOfIt() throws Exception {
    WeakReference<Stream> gone = closedWhileItsPeerIsSought();
    for (int i = 0; i < 1000 && gone.get() != null; i++) {
      System.gc();
      Thread.sleep(5);
    }
    assertThat(gone.get()).isNull();
    clock.passes(60_000);
    assertThat(offers).isEmpty();
  }

  private WeakReference<Stream> closedWhileItsPeerIsSought() throws Exception {
    Stream stream = process.connection().client();
    stream.stayPlain(Reason.PEER_NOT_ACCELERATED);
    lost.seek(stream);
    stream.close(false);
    lost.forget(stream);
    return new WeakReference<>(stream);
  }

  @Test
  void aForgottenStreamMayBeLostAgain() throws Exception {
    Stream stream = lose(process.connection().client());
    clock.passes(100);
    lost.forget(stream); // it was joined
    offers.clear();
    lost.retry(stream);
    clock.passes(70);
    assertThat(offers).containsExactly(120L, 160L);
  }

  @Test
  void whatThePeerHasClosedIsForgotten() throws Exception {
    Stream stream = process.connection().client();
    StreamLink link = join(stream);
    link.markDead();
    lost.add(stream);
    link.markPeerClosed();
    clock.passes(30_000);
    assertThat(offers).isEmpty();
    assertThat(lost.size()).isZero();
  }

  @Test
  void aSilentPeerIsLookedForLessAndLessOftenWhileThereIsTraffic() throws Exception {
    Stream stream = process.connection().client();
    stream.stayPlain(Reason.PEER_NOT_ACCELERATED);
    lost.seek(stream);
    lost.seek(stream); // the next search without an answer: the clock goes on
    for (int second = 0; second < 200; second++) {
      stream.write(ByteBuffer.allocate(1), false);
      clock.passes(1_000);
    }
    assertThat(offers).containsExactly(5_000L, 15_000L, 35_000L, 75_000L, 135_000L, 195_000L);
    assertThat(nudged).isEmpty();
  }

  @Test
  void thePeerOfASilentStreamIsNotLookedFor() throws Exception {
    Stream stream = process.connection().client();
    stream.stayPlain(Reason.PEER_NOT_ACCELERATED);
    lost.seek(stream);
    clock.passes(60_000);
    assertThat(offers).isEmpty();
    stream.write(ByteBuffer.allocate(1), false);
    clock.passes(60_000);
    assertThat(offers).hasSize(1);
  }

  @Test
  void aRuleEndsTheSearch() throws Exception {
    Stream stream = process.connection().client();
    stream.stayPlain(Reason.PEER_NOT_ACCELERATED);
    lost.seek(stream);
    stream.write(ByteBuffer.allocate(1), false);
    stream.stayPlain(Reason.RULE);
    clock.passes(60_000);
    assertThat(offers).isEmpty();
    assertThat(lost.size()).isZero();
  }

  @Test
  void aClockThatCouldNotBeSetIsSetAgain() throws Exception {
    Stream stream = process.connection().client();
    stream.stayPlain(Reason.LINK_LOST);
    clock.refusals = 2;
    assertThatThrownBy(() -> lost.retry(stream)).isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(() -> lost.seek(stream)).isInstanceOf(OutOfMemoryError.class);
    assertThat(lost.size()).isZero();
    lost.retry(stream);
    clock.passes(30);
    assertThat(offered).containsExactly(stream);
  }

  @Test
  void aSilentPeerIsSoughtAlsoIfThereWasNoMemoryForThatAtFirst() throws Exception {
    List<Stream> asked = new ArrayList<>();
    LostStreams poor =
        new LostStreams(
            clock,
            nudged::add,
            sought::add,
            stream -> {
              asked.add(stream);
              if (asked.size() == 1) {
                throw new OutOfMemoryError("injected");
              }
            });
    Stream stream = process.connection().client();
    stream.stayPlain(Reason.PEER_SILENT);
    poor.seek(stream);
    stream.write(ByteBuffer.allocate(1), false);
    assertThatThrownBy(() -> clock.passes(5_000)).isInstanceOf(OutOfMemoryError.class);
    clock.passes(1);
    assertThat(asked).containsExactly(stream, stream);
  }
}
