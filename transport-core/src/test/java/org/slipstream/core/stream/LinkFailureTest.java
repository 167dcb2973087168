package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.api.Reason;
import org.slipstream.core.ring.ProtocolViolationException;
import org.slipstream.core.ring.RingEnd;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.transport.ControlLayout;

/** A link that fails under a stream, over a medium that may have lost what it was given last. */
@Timeout(240)
class LinkFailureTest {
  private static final byte[] SECOND_NONCE = "ABCDEFGHIJKLMNOP".getBytes(StandardCharsets.US_ASCII);

  private static HeapLink link(Bench b) {
    return (HeapLink) b.link.link();
  }

  private static byte[] fail(long position, String again) {
    byte[] bytes = again.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(9 + bytes.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(ControlBytes.FAIL)
        .putLong(position)
        .put(bytes)
        .array();
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  /** A client that has switched and written "one" into the ring. */
  private static Bench switchedClient() throws IOException {
    Bench b = Bench.client().nonBlocking().attached();
    link(b).lossy();
    b.write("one", false);
    assertThat(b.fromWire(16)).isEqualTo(text(b.nonce));
    return b;
  }

  @Test
  void whatThePeerGaveNoCreditForGoesOutOnceMore() throws Exception {
    try (Bench b = switchedClient()) {
      b.write("two", false);
      link(b).breakDown();
      assertThat(b.write("three", false)).isEqualTo(5);
      assertThat(b.fromWire(9 + 11)).isEqualTo(text(fail(0, "onetwothree")));
      assertThat(b.failed.get()).isEqualTo(1);
      assertThat(b.stream.status().plainBytesOut()).isEqualTo(11);
    }
  }

  @Test
  void whatThePeerGaveCreditForDoesNot() throws Exception {
    try (Bench b = switchedClient()) {
      assertThat(b.fromRing()).isEqualTo("one");
      b.peer.producer().write(ByteBuffer.wrap(new byte[] {'!'}), () -> true); // echoes the credit
      b.write("two", false);
      link(b).breakDown();
      assertThat(b.stream.nudge()).isTrue();
      assertThat(b.fromWire(9 + 3)).isEqualTo(text(fail(3, "two")));
    }
  }

  /** They would make the kernel's end a reset, which drops what is under way. */
  @Test
  void controlBytesThatNoReaderCanTakeMakeTheConnectionLinger() throws Exception {
    try (Bench b = switchedClient()) {
      b.stream.shutdownInput();
      link(b).breakDown();
      assertThat(b.write("two", false)).isEqualTo(3);
      b.wire(fail(0, "")); // the peer falls back to TCP too
      b.stream.close(false);
      assertThat(b.lingering.get()).isEqualTo(1);
      assertThat(b.fromWire(9 + 6)).isEqualTo(text(fail(0, "onetwo")));
    }
  }

  @Test
  void noMarkFollowsACountThatMayBeLost() throws Exception {
    try (Bench b = Bench.client().nonBlocking().attached()) {
      link(b).lossy().inFence(link(b)::breakDown); // while the count is being placed
      assertThat(b.write("one", false)).isEqualTo(3);
      assertThat(b.write("two", false)).isEqualTo(3);
      assertThat(b.fromWire(6)).isEqualTo("onetwo");
      assertThat(b.stream.status().outOnRing()).isFalse();
    }
  }

  /** The control thread may look at any moment, and holds no lock. */
  @Test
  void noOtherLinkIsAttachedToADirectionThatBegins() throws Exception {
    try (Bench b = Bench.client().nonBlocking().attached()) {
      AtomicBoolean joinable = new AtomicBoolean();
      link(b)
          .inFence(() -> { // while the count is being placed
            b.link.markLost();
            joinable.set(b.stream.isJoinable());
          });
      assertThat(b.write("one", false)).isEqualTo(3);
      assertThat(joinable).isFalse();
      assertThat(b.stream.isJoinable()).isTrue();
      assertThat(b.fromWire(3)).isEqualTo("one");
    }
  }

  @Test
  void noOtherLinkIsAttachedWhileTheMarkOfAFailedOneIsTaken() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      AtomicBoolean joinable = new AtomicBoolean();
      b.whenProven = () -> joinable.set(b.stream.isJoinable());
      b.link.markLost();
      b.peerSwitchesAt(0);
      b.toRing("one");
      assertThat(b.readFully(3)).isEqualTo("one");
      assertThat(joinable).isFalse();
      assertThat(b.stream.isJoinable()).isFalse();
      b.wireAndWait(b.back(3));
      b.wire("two");
      assertThat(b.readFully(3)).isEqualTo("two");
      assertThat(b.stream.isJoinable()).isTrue();
    }
  }

  @Test
  void aCountWithoutMarkCostsTheLinkAndNoByte() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.peer.producer().epochs().begin(0);
      b.wire("raw, and enough of it to look like MARK");
      assertThat(b.readFully(39)).isEqualTo("raw, and enough of it to look like MARK");
      assertThat(b.stream.status().inOnRing()).isFalse();
    }
  }

  @Test
  void aMessageInTheMailboxIsNotForgotten() throws Exception {
    try (Bench b = switchedClient()) {
      assertThat(b.fromRing()).isEqualTo("one");
      b.wireAndWait(b.nonce);
      b.peer.producer().epochs().begin(0);
      b.toRing("?");
      assertThat(b.readFully(1)).isEqualTo("?");
      b.write("in the mailbox", false);
      b.write(" and in the ring", false);
      link(b).breakDown();
      b.stream.nudge();
      assertThat(b.fromWire(9 + 30)).isEqualTo(text(fail(3, "in the mailbox and in the ring")));
    }
  }

  @Test
  void anOrderedFallBackRepeatsNothing() throws Exception {
    try (Bench b = switchedClient()) {
      b.link.markRevoked();
      b.write("raw", false);
      assertThat(b.fromWire(9 + 3)).isEqualTo(text(b.back(3)) + "raw");
    }
  }

  @ParameterizedTest(name = "{0} bytes come first")
  @ValueSource(ints = {1, 5, 9, 10, 20})
  void theReaderDropsWhatItHasReadAlready(int first) throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("hello");
      assertThat(b.readFully(4)).isEqualTo("hell");
      byte[] all = fail(1, "ello world, again");
      b.wireAndWait(Arrays.copyOf(all, first));
      b.stream.readiness().absorb();
      StringBuilder got = new StringBuilder("hell");
      got.append(b.read(1, false));
      b.wireAndWait(Arrays.copyOfRange(all, first, all.length));
      while (got.length() < 18) {
        got.append(b.read(3, false));
      }
      assertThat(got).hasToString("hello world, again");
      assertThat(b.stream.available()).isZero();
      assertThat(b.link.isDead()).isTrue();
      assertThat(b.failed.get()).isEqualTo(1);
    }
  }

  @Test
  void aBlockedReaderGoesOnRaw() throws Exception {
    try (Bench b = Bench.server().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("hello");
      assertThat(b.read(10, true)).isEqualTo("hello");
      b.wire(fail(0, "hello"));
      b.wire(" world");
      assertThat(b.read(10, true)).isEqualTo(" world");
    }
  }

  @Test
  void noWriterGoesOnWhereTheReaderHasNotBeen() throws Exception {
    try (Bench b = Bench.server().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("hello");
      assertThat(b.read(3, true)).isEqualTo("hel"); // two more can be read before FAIL is
      b.wire(fail(6, ""));
      b.wire.shutdownOutput();
      b.read(2, true);
      assertThatThrownBy(() -> b.read(10, true)).isInstanceOf(ProtocolViolationException.class);
    }
  }

  @Test
  void theEndOfTcpWithoutAFinalPositionIsAResetWhereBytesMayBeMissing() throws Exception {
    try (Bench b = Bench.server().attached()) {
      link(b).lossy();
      b.peerSwitchesAt(0);
      b.toRing("last");
      b.wire.close();
      assertThat(b.read(4, true)).isEqualTo("last");
      assertThatThrownBy(() -> b.read(100, true))
          .isInstanceOf(SocketException.class)
          .hasMessage("Connection reset");
    }
  }

  @Test
  void theLastBytesOfAClosedStreamFollowOverTcp() throws Exception {
    try (Bench b = switchedClient()) {
      link(b).inFence(link(b)::breakDown); // while the last bytes are being placed
      b.stream.close(false);
      assertThat(b.fromWire(9 + 3)).isEqualTo(text(fail(0, "one")));
    }
  }

  // -- another link ----------------------------------------------------------------------------

  private static StreamLink second(Bench b, HeapLink.Pair pair) {
    StreamLink second =
        new StreamLink(b.link.session(), 3, 4, pair.a().window(), pair.a(), SECOND_NONCE, b);
    if (b.stream.isClient()) {
      second.provePeer();
    }
    return second;
  }

  @Test
  void aStreamThatFellBackTakesAnotherLink() throws Exception {
    try (Bench b = switchedClient()) {
      assertThat(b.fromRing()).isEqualTo("one");
      HeapLink.Pair pair = HeapLink.pair(Bench.RING, Bench.RING);
      StreamLink second = second(b, pair);
      RingEnd peer = new RingEnd(pair.b());
      assertThat(b.stream.attach(second)).as("the first one works").isFalse();
      b.link.markDead();
      assertThat(b.stream.attach(second)).as("not back on TCP yet").isFalse();
      b.stream.nudge();
      assertThat(b.stream.isJoinable()).isTrue();
      peer.consumer().credit().open();
      second.consumer().credit().open();
      assertThat(b.stream.attach(second)).isTrue();
      b.read(1, false); // the next call gives the first one back
      assertThat(b.unused.get()).isEqualTo(1);
      b.write("two", false);
      assertThat(b.fromWire(9 + 3 + 16)).isEqualTo(text(fail(0, "one")) + text(SECOND_NONCE));
      ByteBuffer got = ByteBuffer.allocate(10);
      assertThat(peer.consumer().epochs().nextAt()).isEqualTo(3);
      assertThat(peer.consumer().read(got)).isEqualTo(3);
      assertThat(text(Arrays.copyOf(got.array(), 3))).isEqualTo("two");
    }
  }

  @Test
  void aServerNeedsAnotherProofForAnotherLink() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("x");
      assertThat(b.readFully(1)).isEqualTo("x");
      b.wireAndWait(b.back(1));
      assertThat(b.read(1, false)).isEmpty();
      b.link.markDead();
      HeapLink.Pair pair = HeapLink.pair(Bench.RING, Bench.RING);
      assertThat(b.stream.attach(second(b, pair))).isTrue();
      assertThat(b.write("raw", false)).isEqualTo(3);
      assertThat(b.fromWire(3)).isEqualTo("raw");
      assertThat(b.stream.status().outOnRing()).isFalse();
    }
  }

  @Test
  void thePeerIsToldOfInlineUrgentDataThroughTheOtherLinkToo() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.stream.urgentData().inlineChanged(true);
      b.link.markDead();
      HeapLink.Pair pair = HeapLink.pair(Bench.RING, Bench.RING);
      RingEnd peer = new RingEnd(pair.b());
      assertThat(b.stream.attach(second(b, pair))).isTrue();
      assertThat(peer.consumer().peerFlags()).isEqualTo(ControlLayout.FLAG_OOB_INLINE);
    }
  }

  @Test
  void noOtherLinkWhileAMarkOfTheFailedOneIsUnderWay() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.peer.producer().epochs().begin(0);
      b.link.markDead();
      assertThat(b.stream.isJoinable()).isFalse();
      b.wireAndWait(b.nonce);
      b.wireAndWait(b.back(0));
      assertThat(b.read(1, false)).isEmpty();
      assertThat(b.stream.isJoinable()).isTrue();
    }
  }

  /** The peer has announced an epoch, noticed the loss and gone on raw: there is no MARK. */
  @ParameterizedTest(name = "raw bytes before the epoch: {0}")
  @ValueSource(ints = {3, 2})
  void aEpochThatWasAnnouncedAsTheSessionWentDoesNotKeepTheStreamPlain(int epochAt)
      throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.wire("123");
      assertThat(b.readFully(3)).isEqualTo("123");
      b.peer.producer().epochs().begin(epochAt);
      b.wire("and raw on, for more than a MARK");
      assertThat(b.readFully(32)).isEqualTo("and raw on, for more than a MARK");
      assertThat(b.stream.reason()).as("as far as we know").isEqualTo(Reason.WRONG_PEER);
      assertThat(b.stream.isJoinable()).isFalse();
      b.link.markLost();
      HeapLink.Pair pair = HeapLink.pair(Bench.RING, Bench.RING);
      RingEnd peer = new RingEnd(pair.b());
      StreamLink second = second(b, pair);
      peer.consumer().credit().open();
      second.consumer().credit().open();
      assertThat(b.stream.attach(second)).isTrue();
      assertThat(b.stream.reason()).isEqualTo(Reason.NONE);
      peer.producer().epochs().begin(35);
      b.wireAndWait(SECOND_NONCE);
      peer.producer()
          .write(ByteBuffer.wrap("ring".getBytes(StandardCharsets.US_ASCII)), () -> true);
      assertThat(b.readFully(4)).isEqualTo("ring");
      assertThat(b.stream.status().inOnRing()).isTrue();
    }
  }

  @Test
  void theSameIfTheLossIsKnownBeforeTheRawBytesCome() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.peer.producer().epochs().begin(0);
      b.link.markLost();
      assertThat(b.stream.isJoinable()).as("MARK may be under way").isFalse();
      b.wire("raw, and no MARK at all");
      assertThat(b.readFully(23)).isEqualTo("raw, and no MARK at all");
      assertThat(b.stream.isJoinable()).isTrue();
    }
  }

  /** It had announced an epoch that was lost on the way for a while, and went on raw. */
  @ParameterizedTest(name = "raw bytes before the epoch, of five: {0}")
  @ValueSource(ints = {5, 3})
  void aLateWordOfAProvenPeerCostsTheLinkAndNotTheStream(int epochAt) throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      link(b).lossy();
      b.peerSwitchesAt(0);
      b.toRing("x");
      b.wire(b.back(1));
      b.wire("12345");
      assertThat(b.readFully(6)).isEqualTo("x12345");
      b.peer.producer().epochs().begin(epochAt);
      b.wire("and raw on, for more than a MARK");
      assertThat(b.readFully(32)).isEqualTo("and raw on, for more than a MARK");
      assertThat(b.stream.reason()).isEqualTo(Reason.WRONG_PEER);
      assertThat(b.write("answer", false)).isEqualTo(6);
      b.link.markLost();
      assertThat(b.stream.attach(second(b, HeapLink.pair(Bench.RING, Bench.RING)))).isTrue();
    }
  }
}
