package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.transport.ControlLayout;

/** What must be stored before what, and what must be looked at after it. */
class RingOrderTest {
  private static final int SIZE = 4096;

  private final RingEnd.Two two = RingEnd.two(SIZE, SIZE);
  private final RingEnd a = two.a();
  private final RingEnd b = two.b();

  /** Lets a's next small message travel in the mailbox: a has read something. */
  private void converse() throws Exception {
    b.write((byte) 1);
    assertThat(a.read(10)).hasSize(1);
  }

  @Test
  void bytesLieInTheRingBeforeThePositionIsPublished() throws Exception {
    List<Byte> seen = new ArrayList<>();
    a.link().beforePublish(() -> seen.add(b.link().receiveRing().get(ValueLayout.JAVA_BYTE, 2)));
    a.write((byte) 7, (byte) 8, (byte) 9);
    assertThat(seen).containsExactly((byte) 9);
  }

  @Test
  void mailboxAndInlineWordAndEchoAreThereBeforeThePositionIsPublished() throws Exception {
    converse();
    List<String> seen = new ArrayList<>();
    a.link()
        .beforePublish(() ->
            seen.add(
                b.link().receiveControl().get(ValueLayout.JAVA_BYTE, ControlLayout.MAILBOX)
                    + " "
                    + b.word(ControlLayout.INLINE)
                    + " "
                    + b.word(ControlLayout.PIGGYBACK)
                    + " "
                    + b.word(ControlLayout.POSITION)));
    a.write((byte) 42, (byte) 43);
    assertThat(seen).containsExactly("42 2 1 0");
    assertThat(b.word(ControlLayout.POSITION)).isEqualTo(2);
  }

  @Test
  void aWritePushesThenPublishesThenFences() throws Exception {
    a.link().recording();
    a.write(new byte[100]);
    assertThat(a.link().record()).containsExactly("push 0+100", "publish position=100", "fence");
  }

  @Test
  void aWriteOverTheEndOfTheRingPushesBothPieces() throws Exception {
    a.write(new byte[SIZE - 10]);
    assertThat(b.read(SIZE)).hasSize(SIZE - 10);
    a.link().recording();
    a.write(new byte[100]);
    assertThat(a.link().record())
        .containsExactly("push 4086+10", "push 0+90", "publish position=4186", "fence");
  }

  @Test
  void aLargeWriteIsPublishedInPiecesOfASpan() throws Exception {
    HeapLink.Pair pair = HeapLink.pair(128 * 1024, 128 * 1024);
    RingEnd writer = new RingEnd(pair.a());
    new RingEnd(pair.b()).consumer().credit().open();
    pair.a().recording();
    writer.write(new byte[40_000]);
    assertThat(pair.a().record().stream().filter(r -> r.startsWith("push")))
        .containsExactly("push 0+16384", "push 16384+16384", "push 32768+7232");
  }

  /** An engine is worth to be set up for a large piece only. */
  @Test
  void aMediumThatLikesLargePiecesGetsThem() throws Exception {
    HeapLink.Pair pair = HeapLink.pair(128 * 1024, 128 * 1024);
    RingEnd writer = new RingEnd(pair.a().bulk(24 * 1024));
    new RingEnd(pair.b()).consumer().credit().open();
    pair.a().recording();
    writer.write(new byte[60_000]);
    assertThat(pair.a().record().stream().filter(r -> r.startsWith("push")))
        .as("a quarter of the ring, whole; what is below the crossover, in spans")
        .containsExactly("push 0+32768", "push 32768+27232");
    writer.write(new byte[20_000]);
    assertThat(pair.a().record().stream().filter(r -> r.startsWith("push")).skip(2))
        .containsExactly("push 60000+16384", "push 76384+3616");
  }

  /** While an engine carries the first parts, the next are copied; the reader sees all at once. */
  @Test
  void aPieceForAnEngineIsPushedInParts() throws Exception {
    HeapLink.Pair pair = HeapLink.pair(128 * 1024, 128 * 1024);
    RingEnd writer = new RingEnd(pair.a().bulk(8 * 1024));
    new RingEnd(pair.b()).consumer().credit().open();
    pair.a().recording();
    writer.write(new byte[60_000]);
    assertThat(pair.a().record().stream().filter(r -> r.startsWith("pu")))
        .containsExactly(
            "push 0+8192",
            "push 8192+8192",
            "push 16384+8192",
            "push 24576+8192",
            "publish position=32768",
            "push 32768+8192",
            "push 40960+8192",
            "push 49152+10848",
            "publish position=60000");
  }

  @Test
  void aGatheringWriteOfSmallPiecesIsPublishedOnce() throws Exception {
    a.link().recording();
    ByteBuffer[] pieces = new ByteBuffer[20];
    Arrays.setAll(pieces, i -> ByteBuffer.allocate(10));
    assertThat(a.write(pieces)).isEqualTo(200);
    assertThat(a.link().record().stream().filter(r -> r.startsWith("publish")))
        .containsExactly("publish position=200");
  }

  @Test
  void aLargeWriteIsPublishedSpanBySpan() throws Exception {
    RingEnd.Two large = RingEnd.two(64 * 1024, 64 * 1024);
    large.a().link().recording();
    large.a().write(new byte[40_000]);
    assertThat(large.a().link().record().stream().filter(r -> r.startsWith("publish")))
        .containsExactly(
            "publish position=16384", "publish position=32768", "publish position=40000");
  }

  @Test
  void theWriterLooksAtTheArmedWordAfterItsFence() throws Exception {
    // The reader's arming becomes visible at the last moment that the fence allows.
    a.link().inFence(() -> a.peerSaysInt(ControlLayout.ARMED, 5));
    a.write((byte) 1);
    assertThat(a.doorbells()).isEqualTo(1);
  }

  @Test
  void theReaderLooksAtThePositionAfterItsFence() throws Exception {
    // The bytes become visible at the last moment that the fence allows.
    b.link().inFence(() -> b.peerSays(ControlLayout.POSITION, 3));
    assertThat(b.consumer().arm()).isFalse();
    assertThat(a.intWord(ControlLayout.ARMED)).as("disarmed").isZero();
  }

  @Test
  void theReaderPublishesItsArmingBeforeItsFence() throws Exception {
    b.link().recording();
    assertThat(b.consumer().arm()).isTrue();
    assertThat(b.link().record()).containsExactly("publish armed=1", "fence");
  }

  @Test
  void theWriterLooksAtTheCreditAfterItsFence() throws Exception {
    a.write(new byte[SIZE]);
    assertThat(a.producer().credit().space(1)).isZero();
    a.link().inFence(() -> a.peerSays(ControlLayout.CREDIT, 100));
    a.producer().credit().request();
    assertThat(a.producer().credit().space(1)).isEqualTo(100);
  }

  @Test
  void theReaderLooksForStarvedWritersAfterItsCreditIsPublished() throws Exception {
    a.write(new byte[SIZE]);
    b.link().recording().inFence(() -> b.peerSaysInt(ControlLayout.CREDIT_REQUEST, 1));
    assertThat(b.read(SIZE)).hasSize(SIZE);
    assertThat(b.link().record()).containsExactly("publish credit=4096", "fence");
    assertThat(b.consumer().credit().takeNotice()).isTrue();
    assertThat(b.consumer().credit().takeNotice()).as("one notice").isFalse();
  }

  // -- arming ----------------------------------------------------------------------------------

  @Test
  void anUnarmedReaderGetsNoDoorbell() throws Exception {
    a.write((byte) 1);
    assertThat(a.doorbells()).isZero();
  }

  @Test
  void oneArmingGetsOneDoorbellHoweverMuchIsWritten() throws Exception {
    assertThat(b.consumer().arm()).isTrue();
    for (int i = 0; i < 5; i++) {
      a.write((byte) i);
    }
    assertThat(a.doorbells()).isEqualTo(1);
  }

  @Test
  void theArmingSticksUntilItsDoorbellIsHeard() throws Exception {
    assertThat(b.consumer().arm()).isTrue();
    a.write((byte) 1);
    assertThat(b.read(10)).hasSize(1);
    // The doorbell is unread: arming again is the same arming, and gets no second doorbell.
    assertThat(b.consumer().arm()).isTrue();
    a.write((byte) 2);
    assertThat(a.doorbells()).isEqualTo(1);
    b.consumer().doorbellHeard();
    assertThat(b.read(10)).hasSize(1);
    assertThat(b.consumer().arm()).isTrue();
    a.write((byte) 3);
    assertThat(a.doorbells()).isEqualTo(2);
  }

  @Test
  void armingWithBytesThereDisarmsAndKeepsTheNumber() throws Exception {
    a.write((byte) 1);
    assertThat(b.consumer().arm()).isFalse();
    a.write((byte) 2);
    assertThat(a.doorbells()).isZero();
    assertThat(b.read(10)).hasSize(1);
    assertThat(b.read(10)).hasSize(1);
    assertThat(b.consumer().arm()).isTrue();
    assertThat(a.intWord(ControlLayout.ARMED)).isEqualTo(1);
    a.write((byte) 3);
    assertThat(a.doorbells()).isEqualTo(1);
  }

  /** Over a network each word that is published is a packet. */
  @Test
  void anArmingIsTakenBackLaterIfAnAnswerOrCreditFollows() throws Exception {
    b.link().recording();
    a.write((byte) 1);
    assertThat(b.read(10)).hasSize(1);
    a.write((byte) 2);
    assertThat(b.consumer().arm()).isFalse();
    assertThat(b.link().record())
        .as("a reader that never writes")
        .containsExactly("publish armed=1", "fence", "publish armed=0");

    assertThat(b.read(10)).hasSize(1);
    b.write((byte) 3);
    assertThat(a.read(10)).hasSize(1);
    a.write((byte) 4);
    assertThat(b.consumer().arm()).isFalse();
    assertThat(b.link().record())
        .as("an end that answers")
        .endsWith("publish armed=1", "fence", "later", "publish armed=0");

    assertThat(b.read(10)).hasSize(1);
    a.write(new byte[SIZE / 4]);
    assertThat(b.consumer().arm()).isFalse();
    assertThat(b.link().record())
        .as("credit is due, though it does not answer")
        .endsWith("publish armed=1", "fence", "later", "publish armed=0");
  }

  @Test
  void mailboxMessagesRingToo() throws Exception {
    converse();
    assertThat(b.consumer().arm()).isTrue();
    a.write((byte) 1);
    assertThat(b.word(ControlLayout.INLINE)).as("in the mailbox").isEqualTo(1);
    assertThat(a.doorbells()).isEqualTo(1);
  }

  // -- committed size and the end
  // ----------------------------------------------------------------------

  @Test
  void aWindowThatCannotGrowHoldsTheWriterAtItsCommittedSize() throws Exception {
    RingEnd.Two small = RingEnd.two(SIZE, 512);
    small.b().link().window().refuseToGrowBeyond(512);
    for (int i = 0; i < 3; i++) {
      assertThat(small.a().write(new byte[SIZE])).isEqualTo(512);
      assertThat(small.a().write(new byte[1])).isZero();
      assertThat(small.b().read(SIZE)).hasSize(512);
    }
    assertThat(small.b().consumer().credit().growFailure()).hasMessageContaining("no storage");
    assertThat(small.b().word(ControlLayout.EXTENT)).isZero();
  }

  @Test
  void aWindowGrowsWhenHalfOfItIsFull() throws Exception {
    RingEnd.Two small = RingEnd.two(SIZE, 512);
    small.a().write(new byte[256]);
    small.b().read(SIZE);
    assertThat(small.b().link().window().committedBytes()).isEqualTo(2048);
    assertThat(small.a().word(ControlLayout.COMMITTED)).isEqualTo(2048);
    assertThat(small.a().write(new byte[SIZE])).isEqualTo(2048);
    assertThat(small.b().word(ControlLayout.EXTENT)).isEqualTo(ControlLayout.extent(256, 2048));
  }

  @Test
  void aWindowOfWhichLittleIsNeededStaysSmallHoweverMuchTravels() throws Exception {
    RingEnd.Two small = RingEnd.two(SIZE, 512);
    for (int i = 0; i < 3 * SIZE / 100; i++) {
      small.a().write(message(i, 100));
      assertThat(small.b().read(SIZE)).isEqualTo(message(i, 100));
      small.b().write(message(i, 20));
      assertThat(small.a().read(SIZE)).isEqualTo(message(i, 20));
    }
    assertThat(small.a().link().window().committedBytes()).isEqualTo(512);
    assertThat(small.b().link().window().committedBytes()).isEqualTo(512);
    assertThat(small.b().word(ControlLayout.EXTENT)).isZero();
  }

  @Test
  void aWindowOfWhichLittleIsNeededGrowsIfThereIsPlenty() throws Exception {
    RingEnd.Two small = RingEnd.two(SIZE, 512);
    small.b().link().window().haveStorageInPlenty();
    for (int i = 0; i < 3; i++) {
      transfer(small, message(i, 100));
      assertThat(small.b().link().window().committedBytes()).isEqualTo(512);
    }
    transfer(small, message(3, 100)); // credit for a quarter is due, and half was used
    assertThat(small.b().link().window().committedBytes()).isEqualTo(2048);
    for (int i = 4; i < 3 * SIZE / 100; i++) {
      transfer(small, message(i, 100));
    }
    assertThat(small.b().link().window().committedBytes()).isEqualTo(SIZE);
    assertThat(ControlLayout.extentBytes(small.b().word(ControlLayout.EXTENT))).isEqualTo(SIZE);
  }

  private static void transfer(RingEnd.Two two, byte[] bytes) throws Exception {
    ByteBuffer src = ByteBuffer.wrap(bytes);
    for (int at = 0; at < bytes.length; ) {
      two.a().write(src);
      byte[] read = two.b().read(SIZE);
      assertThat(read).isNotEmpty().isEqualTo(Arrays.copyOfRange(bytes, at, at + read.length));
      at += read.length;
    }
  }

  private static byte[] message(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  @Test
  void aRingIsWidenedBehindWhatIsUnread() throws Exception {
    RingEnd.Two small = RingEnd.two(SIZE, 512);
    small.a().write(message(1, 200));
    small.b().read(SIZE);
    byte[] unread = message(2, 512);
    assertThat(small.a().write(unread)).isEqualTo(512);
    assertThat(small.b().read(1)).containsExactly(unread[0]);
    assertThat(small.b().link().window().committedBytes()).isEqualTo(2048);
    byte[] more = message(3, SIZE);
    assertThat(small.a().write(more)).as("what is new, and the byte that was read").isEqualTo(1536);
    assertThat(small.b().word(ControlLayout.EXTENT)).isEqualTo(ControlLayout.extent(712, 2048));
    ByteBuffer both = ByteBuffer.allocate(2048).put(unread).put(more, 0, 1536).flip();
    assertThat(small.a().producer().unacknowledged()).as("for TCP, if need be").isEqualTo(both);
    assertThat(small.b().read(SIZE)).isEqualTo(Arrays.copyOfRange(unread, 1, 512));
    assertThat(small.b().read(SIZE)).isEqualTo(Arrays.copyOf(more, 1536));
    transfer(small, message(4, 3 * SIZE));
  }

  /** A second word overwrites the first: the reader has to have seen that one. */
  @Test
  void aMessageInTheMailboxHidesNoWidening() throws Exception {
    RingEnd.Two small = RingEnd.two(SIZE, 128);
    small.a().write(message(1, 100));
    assertThat(small.b().read(SIZE)).isEqualTo(message(1, 100)); // grows to 512
    assertThat(small.a().producer().credit().space(SIZE)).as("widens").isEqualTo(512);
    small.b().write((byte) 1);
    small.a().read(1); // now the next message travels in the mailbox
    small.a().write(message(2, 60));
    assertThat(small.b().word(ControlLayout.INLINE)).isEqualTo(ControlLayout.inline(100, 60));
    assertThat(small.b().read(SIZE)).isEqualTo(message(2, 60));
    transfer(small, message(3, 500)); // grows to 2048
    assertThat(small.b().link().window().committedBytes()).isEqualTo(2048);
    transfer(small, message(4, 3 * SIZE));
    assertThat(small.b().link().window().committedBytes()).isEqualTo(SIZE);
  }

  @Test
  void theExtentIsSaidBeforeAPositionBeyondIt() throws Exception {
    RingEnd.Two small = RingEnd.two(SIZE, 512);
    small.a().write(new byte[300]);
    small.b().read(SIZE);
    small.a().link().recording();
    small.a().write(new byte[600]);
    assertThat(small.a().link().record())
        .containsExactly(
            "publish extent=" + ControlLayout.extent(300, 2048),
            "push 512+600",
            "publish position=900",
            "fence");
  }

  @Test
  void theEndIsReachedOnlyWhenEverythingHasBeenRead() throws Exception {
    a.write((byte) 1);
    a.producer().publishFin();
    assertThat(b.consumer().peekFin()).isTrue();
    assertThat(b.consumer().finReached()).isFalse();
    b.read(10);
    assertThat(b.consumer().finReached()).isTrue();
  }

  /** The words behind the mailbox are in the same view: nothing but this look keeps them back. */
  @Test
  void aMessageThatIsLongerThanTheMailboxIsAViolation() {
    b.peerSays(ControlLayout.INLINE, ControlLayout.inline(0, ControlLayout.MAILBOX_BYTES + 1));
    b.peerSays(ControlLayout.POSITION, ControlLayout.MAILBOX_BYTES + 1);
    assertThatThrownBy(() -> b.read(SIZE))
        .isInstanceOf(ProtocolViolationException.class)
        .hasMessageContaining("claims 89 bytes in the mailbox");
    assertThat(b.consumer().consumed()).isZero();
  }

  @Test
  void anEndBeforeThePublishedPositionIsAViolation() throws Exception {
    a.write((byte) 1, (byte) 2);
    b.read(10);
    b.peerSays(ControlLayout.FIN_AT, 2);
    assertThatThrownBy(() -> b.consumer().finReached())
        .isInstanceOf(ProtocolViolationException.class)
        .hasMessageContaining("ends the stream at 1 but published 2");
  }
}
