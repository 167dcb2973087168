package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.transport.HeapWindow;
import org.slipstream.transport.ControlLayout;

/** A medium that loses stores and delivers later ones: what a reader believes. */
class RingChecksumTest {
  private static final int SIZE = 4096;

  private final HeapWindow aWindow = new HeapWindow(SIZE, SIZE);
  private final HeapWindow bWindow = new HeapWindow(SIZE, SIZE);

  /** Copies on its way what was pushed, as across a bridge; or loses it. */
  private static final class LossyLink extends StagedLink {
    private final MemorySegment ring = MemorySegment.ofArray(new byte[SIZE]);
    private final boolean proves;
    boolean losesBytes;
    boolean losesMailbox;

    LossyLink(HeapWindow own, HeapWindow peer, boolean proves) {
      super(own, peer);
      this.proves = proves;
    }

    @Override
    public MemorySegment sendRing() {
      return ring;
    }

    @Override
    public void push(long offset, long length) {
      if (!losesBytes) {
        MemorySegment.copy(ring, offset, peer.ring(), offset, length);
      }
    }

    @Override
    public void publish(long offset, long value) {
      if (offset == ControlLayout.POSITION) {
        copyWords(ControlLayout.PIGGYBACK, Long.BYTES + Long.BYTES);
        if (!losesMailbox) {
          copyWords(ControlLayout.MAILBOX, ControlLayout.MAILBOX_BYTES);
        }
      }
      ControlLayout.putLongRelease(peer.control(), offset, value);
    }

    /** Everything that was ever stored and is still here. */
    void resend() {
      losesBytes = false;
      losesMailbox = false;
      MemorySegment.copy(ring, 0, peer.ring(), 0, SIZE);
      copyWords(ControlLayout.MAILBOX, ControlLayout.MAILBOX_BYTES);
    }

    @Override
    public boolean needsChecksum() {
      return proves;
    }
  }

  private LossyLink link;
  private RingProducer writer;
  private RingConsumer reader;
  private RingConsumer incoming;
  private RingProducer answers;

  /** One end writes, the other reads. */
  private void open(boolean proves) {
    link = new LossyLink(aWindow, bWindow, proves);
    LossyLink back = new LossyLink(bWindow, aWindow, proves);
    RingConsumer in = new RingConsumer(link, aWindow);
    writer = new RingProducer(link, in);
    reader = new RingConsumer(back, bWindow);
    answers = new RingProducer(back, reader);
    in.credit().open();
    reader.credit().open();
    incoming = in;
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

  @Test
  void withoutAChecksumAHoleIsReadAsIfItWereBytes() throws Exception {
    open(false);
    link.losesBytes = true;
    write(bytes(100, 7));
    assertThat(read()).isEqualTo(bytes(100, 0));
  }

  @Test
  void bytesThatAreLostAreNeverReadAndThoseBehindThemNeither() throws Exception {
    open(true);
    write(bytes(50, 1));
    assertThat(read()).isEqualTo(bytes(50, 1));
    link.losesBytes = true;
    write(bytes(100, 2));
    assertThat(read()).isEmpty();
    assertThat(reader.arm()).as("may sleep").isTrue();
    link.losesBytes = false;
    write(bytes(100, 3));
    assertThat(read()).as("behind the hole").isEmpty();
    link.resend();
    assertThat(read()).startsWith(bytes(100, 2)).endsWith(bytes(100, 3)).hasSize(200);
    write(bytes(10, 4));
    assertThat(read()).isEqualTo(bytes(10, 4));
  }

  @Test
  void aMailboxThatIsLostIsNotRead() throws Exception {
    open(true);
    answers.write(ByteBuffer.wrap(bytes(1, 9)), () -> true);
    incoming.read(ByteBuffer.allocate(1));
    link.losesMailbox = true;
    write(bytes(20, 5));
    assertThat(ControlLayout.getLongPlain(bWindow.control(), ControlLayout.INLINE))
        .as("travels in the mailbox")
        .isEqualTo(20);
    assertThat(read()).isEmpty();
    link.resend();
    assertThat(read()).isEqualTo(bytes(20, 5));
  }

  @Test
  void anEndBeforeItsBytesIsNotReachedYet() throws Exception {
    open(true);
    link.losesBytes = true;
    write(bytes(100, 2));
    writer.publishFin();
    assertThat(reader.finReached()).isFalse();
    link.resend();
    assertThat(reader.finReached()).isFalse();
    assertThat(read()).hasSize(100);
    assertThat(reader.finReached()).isTrue();
  }

  /** Through many laps, with holes that are filled sooner or later. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatIsReadIsWhatWasWritten(long seed) throws Exception {
    open(true);
    SplittableRandom random = new SplittableRandom(seed);
    SplittableRandom out = new SplittableRandom(seed);
    SplittableRandom in = new SplittableRandom(seed);
    long written = 0;
    long seen = 0;
    while (written < 40 * SIZE || seen < written) {
      switch (random.nextInt(4)) {
        case 0 -> link.losesBytes = true;
        case 1 -> link.resend();
        case 2 -> {
          byte[] piece = new byte[1 + random.nextInt(random.nextInt(1000) + 1)];
          int room =
              written < 40 * SIZE ? Math.min(piece.length, writer.credit().space(piece.length)) : 0;
          for (int i = 0; i < room; i++) {
            piece[i] = (byte) out.nextInt();
          }
          assertThat(write(Arrays.copyOf(piece, room))).isEqualTo(room);
          written += room;
        }
        default -> {
          for (byte b : read()) {
            assertThat(b).isEqualTo((byte) in.nextInt());
            seen++;
          }
        }
      }
    }
    assertThat(seen).isEqualTo(written);
  }
}
