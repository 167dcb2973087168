package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.core.stream.FakeSession;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.testkit.transport.HeapWindow;

/** When the memory of a link may be used again. */
class LinkTableTest {
  private static final long PEER_ID = 77;

  private final ManualReactor reactor = new ManualReactor();
  private final List<Stream> lost = new ArrayList<>();
  private int said;
  private final LinkTable table = new LinkTable(reactor, this::lost);
  private final FakeProcess process = new FakeProcess();
  private final FakeSession session = new FakeSession("ours");
  private final FakeSession other = new FakeSession("another");
  private final HeapLink.Pair heap = HeapLink.pair(4096, 4096);
  private final HeapWindow window = heap.a().window();
  private Stream stream;
  private StreamLink link;

  @BeforeEach
  void join() throws Exception {
    stream = process.connection().server();
    link = new StreamLink(session, table.newId(), PEER_ID, window, heap.a(), new byte[16], table);
    table.add(link, stream);
    assertThat(stream.attach(link)).isTrue();
  }

  @AfterEach
  void close() throws Exception {
    process.close();
  }

  private String lastFrame() {
    ByteBuffer frame = session.sent().getLast().duplicate();
    return frame.get() + " " + frame.getLong();
  }

  private void unusedHere() {
    table.linkUnused(link);
    reactor.run();
  }

  @Test
  void namesAreUnique() {
    assertThat(table.newId()).isNotEqualTo(table.newId());
  }

  @Test
  void aWindowIsFreedWhenWeAreDoneAndThenThePeerSaysClosed() {
    unusedHere();
    assertThat(heap.a().released()).as("the peer's memory is let go at once").isEqualTo(1);
    assertThat(lastFrame()).isEqualTo(Frame.CLOSED + " " + PEER_ID);
    assertThat(window.freed()).isZero();
    table.closedThere(link.id(), session);
    assertThat(window.freed()).isEqualTo(1);
    assertThat(window.quarantined()).isZero();
    assertThat(table.size()).isZero();
  }

  @Test
  void aWindowIsFreedWhenThePeerSaysClosedAndThenWeAreDone() {
    table.closedThere(link.id(), session);
    assertThat(window.freed()).isZero();
    assertThat(link.isPeerClosed()).as("no peer reads what is written now").isTrue();
    unusedHere();
    assertThat(window.freed()).isEqualTo(1);
    assertThat(table.size()).isZero();
  }

  @Test
  void sayingItTwiceChangesNothing() {
    unusedHere();
    unusedHere();
    assertThat(session.sent()).hasSize(1);
    table.closedThere(link.id(), session);
    table.closedThere(link.id(), session);
    unusedHere();
    assertThat(window.freed()).isEqualTo(1);
    assertThat(heap.a().released()).isEqualTo(1);
  }

  @Test
  void thePeersClosedAloneNeverFreesAWindow() {
    for (int i = 0; i < 5; i++) {
      table.closedThere(link.id(), session);
    }
    assertThat(window.freed() + window.quarantined()).isZero();
    assertThat(table.size()).isEqualTo(1);
  }

  @Test
  void anotherProcessCanNotNameOurLink() {
    table.closedThere(link.id(), other);
    table.revoke(link.id(), other);
    table.credit(link.id(), other);
    assertThat(link.isDead()).isFalse();
    unusedHere();
    assertThat(window.freed()).as("still waits for its own peer").isZero();
    table.closedThere(link.id(), other);
    assertThat(window.freed()).isZero();
    table.sessionLost(other);
    assertThat(table.size()).isEqualTo(1);
  }

  @Test
  void anUnknownNameIsIgnored() {
    table.closedThere(4711, session);
    table.revoke(-1, session);
    table.credit(0, session);
    assertThat(link.isDead()).isFalse();
    assertThat(table.size()).isEqualTo(1);
  }

  private void lost(Stream which, boolean first) {
    said++;
    if (first) {
      lost.add(which);
    }
  }

  @Test
  void aLinkIsLostOnceButItsStreamFallsBackForEachEndThatNoticesIt() {
    table.linkFailed(link);
    reactor.run();
    assertThat(lost).containsExactly(stream);
    table.sessionLost(session);
    table.linkFailed(link); // a direction leaves the ring
    table.linkFailed(link); // and the other
    reactor.run();
    assertThat(lost).containsExactly(stream);
    assertThat(said).isEqualTo(4);
  }

  @Test
  void theMemoryOfALostSessionIsNotUsedAgain() {
    session.close();
    table.sessionLost(session);
    assertThat(link.isDead()).isTrue();
    assertThat(window.freed() + window.quarantined()).as("a thread may be inside").isZero();
    unusedHere();
    assertThat(window.freed()).isZero();
    assertThat(window.quarantined()).isEqualTo(1);
    assertThat(session.sent()).as("no peer is there").isEmpty();
    assertThat(table.size()).isZero();
  }

  @Test
  void aSessionThatIsLostAfterWeWereDoneFreesTheEntryAtOnce() {
    unusedHere();
    session.close();
    table.sessionLost(session);
    assertThat(window.quarantined()).isEqualTo(1);
    assertThat(table.size()).isZero();
  }

  @Test
  void noticesNameThePeersLink() {
    table.sendCreditNotice(link);
    assertThat(lastFrame()).isEqualTo(Frame.CREDIT + " " + PEER_ID);
    table.sendRevoke(link);
    assertThat(lastFrame()).isEqualTo(Frame.REVOKE + " " + PEER_ID);
  }

  /** Control bytes for a peer that has died would turn its last bytes into a reset. */
  @Test
  void anUnprovenPeerThatSaysToBeThePeerIsNoSignOfItsLife() {
    table.sessionOpened(session);
    session.close();
    table.sessionLost(session);
    FakeSession unrelated = new FakeSession("stranger", session.peer());
    unrelated.onlyClaims();
    assertThat(table.sessionOpened(unrelated)).isEmpty();
    table.findPeerOf(link);
    assertThat(link.canReachPeer()).isFalse();
    FakeSession later = new FakeSession("later", session.peer());
    assertThat(table.sessionOpened(later)).containsExactly(stream);
    assertThat(link.canReachPeer()).isTrue();
    assertThat(link.openSession()).isSameAs(later);
  }
}
