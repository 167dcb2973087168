package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.transport.HeapWindow;
import org.slipstream.transport.ControlLayout;

/** A medium on which a message and its position arrive in any order: what a reader believes. */
class RingSelfValidationTest {
  private static final int SIZE = 4096;

  private final HeapWindow aWindow = new HeapWindow(SIZE, SIZE);
  private final HeapWindow bWindow = new HeapWindow(SIZE, SIZE);
  private final TornLink link = new TornLink(aWindow, bWindow);
  private final TornLink back = new TornLink(bWindow, aWindow);
  private final RingConsumer incoming = new RingConsumer(link, aWindow);
  private final RingProducer writer = new RingProducer(link, incoming);
  private final RingConsumer reader = new RingConsumer(back, bWindow);
  private final RingProducer answers = new RingProducer(back, reader);

  /** The plain stores come later than the word that was published behind them. */
  private static final class TornLink extends StagedLink {
    boolean tears;
    boolean broken;
    long pending;

    TornLink(HeapWindow own, HeapWindow peer) {
      super(own, peer);
    }

    /** The other part. */
    void arrive() {
      tears = false;
      copyWords(ControlLayout.PIGGYBACK, ControlLayout.CREDIT - ControlLayout.PIGGYBACK);
      copyWords(ControlLayout.MAILBOX, ControlLayout.MAILBOX_BYTES);
    }

    /** One word of the other part. */
    void arrive(int offset) {
      copyWords(offset, Long.BYTES);
    }

    @Override
    public MemorySegment sendRing() {
      return peer.ring();
    }

    @Override
    public void push(long offset, long length) {
      // Stored is arrived.
    }

    @Override
    public void publish(long offset, long value) {
      ControlLayout.putLongRelease(peer.control(), offset, value);
      if (!tears) {
        arrive();
      }
    }

    @Override
    public boolean needsSelfValidation() {
      return true;
    }

    @Override
    public void reportPending(long nanos, boolean asleep) {
      assertThat(asleep).isFalse();
      pending = nanos;
    }

    @Override
    public boolean isBroken() {
      return broken;
    }
  }

  @BeforeEach
  void open() {
    incoming.credit().open();
    reader.credit().open();
  }

  /** Lets the next small message travel in the mailbox. */
  private void converse() throws Exception {
    answers.write(ByteBuffer.wrap(bytes(1, 9)), () -> true);
    incoming.read(ByteBuffer.allocate(1));
  }

  private int write(byte[] bytes) throws Exception {
    return writer.write(ByteBuffer.wrap(bytes), () -> true);
  }

  private byte[] read() throws Exception {
    ByteBuffer dst = ByteBuffer.allocate(SIZE);
    reader.read(dst);
    return Arrays.copyOf(dst.array(), dst.position());
  }

  private static byte[] bytes(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private long position() {
    return ControlLayout.getLongPlain(bWindow.control(), ControlLayout.POSITION);
  }

  @Test
  void onlyMessagesOfTheMailboxAreSelfValidating() throws Exception {
    write(bytes(50, 1));
    assertThat(position()).isEqualTo(50);
    assertThat(read()).hasSize(50);
    converse();
    write(bytes(50, 2));
    assertThat(position()).isNegative();
    assertThat(read()).isEqualTo(bytes(50, 2));
    converse();
    write(bytes(100, 3));
    assertThat(position()).isEqualTo(200);
    assertThat(read()).isEqualTo(bytes(100, 3));
  }

  @Test
  void halfAMessageIsNotReadAndKeepsTheReaderAwake() throws Exception {
    converse();
    link.tears = true;
    write(bytes(20, 5));
    writer.publishFin();
    assertThat(read()).isEmpty();
    assertThat(reader.peekAvailable()).isFalse();
    assertThat(reader.peekUnread()).as("the peer has sent something").isTrue();
    assertThat(reader.peekFin()).isFalse();
    assertThat(reader.finReached()).as("an end before its bytes").isFalse();
    assertThat(reader.arm()).as("may sleep").isFalse();
    assertThat(back.pending).isPositive();
    link.arrive(ControlLayout.INLINE);
    assertThat(read()).isEmpty();
    link.arrive(ControlLayout.MAILBOX);
    link.arrive(ControlLayout.MAILBOX + 8);
    assertThat(read()).as("two words of three").isEmpty();
    link.arrive(ControlLayout.MAILBOX + 16);
    assertThat(reader.peekAvailable()).isTrue();
    assertThat(read()).isEqualTo(bytes(20, 5));
    assertThat(back.pending).isZero();
    assertThat(reader.arm()).isTrue();
    assertThat(reader.finReached()).isTrue();
  }

  @Test
  void whatIsPublishedLaterIsNoLongerPending() throws Exception {
    converse();
    link.tears = true;
    write(bytes(20, 5));
    assertThat(read()).isEmpty();
    link.arrive(); // pieces keep their order
    write(bytes(100, 6));
    assertThat(read()).startsWith(bytes(20, 5)).endsWith(bytes(100, 6)).hasSize(120);
    assertThat(reader.arm()).isTrue();
  }

  /** Only a hostile peer does that. */
  @Test
  void aWordThatIsTakenBackIsNoLongerPending() throws Exception {
    converse();
    long before = position();
    link.tears = true;
    write(bytes(20, 5));
    assertThat(reader.arm()).isFalse();
    ControlLayout.putLongRelease(bWindow.control(), ControlLayout.POSITION, before);
    assertThat(reader.arm()).as("may sleep").isTrue();
    assertThat(back.pending).isZero();
  }

  @Test
  void aReaderOfHalfAMessageOfABrokenLinkMaySleep() throws Exception {
    converse();
    link.tears = true;
    write(bytes(20, 5));
    back.broken = true;
    assertThat(reader.arm()).isTrue();
    assertThat(reader.available()).isFalse();
  }

  /** Messages of all sizes and answers, of which some arrive word by word. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatIsReadIsWhatWasWritten(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    SplittableRandom out = new SplittableRandom(seed);
    SplittableRandom in = new SplittableRandom(seed);
    int torn = 0;
    for (int i = 0; i < 5000; i++) {
      converse();
      link.tears = random.nextBoolean();
      byte[] message = new byte[1 + random.nextInt(120)];
      for (int at = 0; at < message.length; at++) {
        message[at] = (byte) out.nextInt();
      }
      assertThat(write(message)).isEqualTo(message.length);
      int seen = 0;
      for (int tries = 0; seen < message.length; tries++) {
        byte[] got = read();
        for (byte b : got) {
          assertThat(b).isEqualTo((byte) in.nextInt());
          seen++;
        }
        torn += got.length == 0 ? 1 : 0;
        if (tries < 50) {
          link.arrive(ControlLayout.INLINE + Long.BYTES * 3 * random.nextInt(2));
          link.arrive(ControlLayout.MAILBOX + Long.BYTES * random.nextInt(11));
        } else {
          link.arrive();
        }
      }
      link.arrive();
    }
    assertThat(torn).isGreaterThan(1000);
  }
}
