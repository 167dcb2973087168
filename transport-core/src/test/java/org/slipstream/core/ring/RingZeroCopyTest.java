package org.slipstream.core.ring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.testkit.transport.HeapWindow;
import org.slipstream.transport.Link;

/**
 * Bytes that travel from the program's own buffer: they are not copied before, and what the peer
 * has not taken is kept when the program gets its buffer back.
 */
class RingZeroCopyTest {
  private static final int RING = 256 * 1024;
  private static final int LARGE = 150_000;

  private final HeapWindow here = new HeapWindow(RING, RING);
  private final HeapWindow there = new HeapWindow(RING, RING);
  private final ZeroCopyLink link = new ZeroCopyLink(new HeapLink(here, there), there.ring());
  private final RingProducer writer = new RingProducer(link, new RingConsumer(link, here));
  private final RingConsumer reader = new RingConsumer(new HeapLink(there, here), there);
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(LARGE);
  private final byte[] bytes = new byte[LARGE];

  /** A link whose send side is a copy that the peer does not see. */
  private static final class ZeroCopyLink implements Link {
    private final HeapLink inner;
    private final MemorySegment target;
    private final MemorySegment copy = MemorySegment.ofArray(new byte[RING]);
    private int zeroCopied;
    private int taken;
    private boolean refuses;

    ZeroCopyLink(HeapLink inner, MemorySegment target) {
      this.inner = inner;
      this.target = target;
    }

    @Override
    public boolean pushFrom(ByteBuffer source, int index, long offset, int length) {
      if (refuses) {
        return false;
      }
      MemorySegment all = MemorySegment.ofBuffer(source.duplicate().clear());
      MemorySegment.copy(all, index, target, offset, length);
      zeroCopied += length;
      return true;
    }

    @Override
    public void awaitTaken() {
      taken++;
    }

    @Override
    public void push(long offset, long length) {
      MemorySegment.copy(copy, offset, target, offset, length);
    }

    @Override
    public MemorySegment sendRing() {
      return copy;
    }

    @Override
    public MemorySegment receiveControl() {
      return inner.receiveControl();
    }

    @Override
    public MemorySegment receiveRing() {
      return inner.receiveRing();
    }

    @Override
    public MemorySegment sendControl() {
      return inner.sendControl();
    }

    @Override
    public void publish(long offset, long value) {
      inner.publish(offset, value);
    }

    @Override
    public void publishInt(long offset, int value) {
      inner.publishInt(offset, value);
    }

    @Override
    public void fence() {
      inner.fence();
    }

    @Override
    public boolean isLossless() {
      return false;
    }

    @Override
    public void release() {
      inner.release();
    }
  }

  RingZeroCopyTest() {
    reader.credit().open();
    new Random(1).nextBytes(bytes);
    buffer.put(bytes).flip();
  }

  private byte[] read(int count) throws IOException {
    ByteBuffer in = ByteBuffer.allocate(count);
    while (in.hasRemaining() && reader.read(in) > 0) {}
    return in.flip().remaining() == count ? in.array() : new byte[0];
  }

  private static byte[] rest(ByteBuffer unacknowledged) {
    byte[] rest = new byte[unacknowledged.remaining()];
    unacknowledged.get(rest);
    return rest;
  }

  @Test
  void aLargeDirectBufferIsNotCopiedFirst() throws Exception {
    assertThat(writer.write(buffer, () -> true)).isEqualTo(LARGE);
    assertThat(link.zeroCopied).isEqualTo(LARGE);
    assertThat(link.copy.asSlice(0, LARGE).toArray(JAVA_BYTE)).containsOnly(0);
    assertThat(read(LARGE)).isEqualTo(bytes);
    writer.giveBack();
    assertThat(link.taken).isEqualTo(1);
    writer.giveBack();
    assertThat(link.taken).as("no zero-copy send is under way").isEqualTo(1);
  }

  @Test
  void whatThePeerHasNotTakenIsKept() throws Exception {
    writer.write(buffer, () -> true);
    writer.giveBack();
    buffer.clear().put(new byte[LARGE]); // the program's again
    assertThat(rest(writer.unacknowledged())).isEqualTo(bytes);
    assertThat(read(LARGE)).isEqualTo(bytes);
  }

  @Test
  void whatThePeerHasTakenIsNotCopied() throws Exception {
    writer.write(buffer, () -> true);
    assertThat(read(100_000)).hasSize(100_000);
    writer.giveBack();
    int credit = (int) writer.credit().acknowledged();
    assertThat(credit).isPositive();
    assertThat(link.copy.asSlice(0, credit).toArray(JAVA_BYTE)).containsOnly(0);
    byte[] rest = rest(writer.unacknowledged());
    assertThat(rest).isEqualTo(java.util.Arrays.copyOfRange(bytes, credit, LARGE));
  }

  @Test
  void aFailureInTheMiddleOfAWriteKeepsEverything() throws Exception {
    writer.write(buffer, () -> true);
    assertThat(rest(writer.unacknowledged())).isEqualTo(bytes);
    assertThat(link.taken).isEqualTo(1);
  }

  @Test
  void lapsAndRefusalsAreMixedInOrder() throws Exception {
    for (int i = 0; i < 10; i++) {
      link.refuses = i % 3 == 1;
      assertThat(writer.write(buffer.clear(), () -> true)).isEqualTo(LARGE);
      writer.giveBack();
      assertThat(rest(writer.unacknowledged())).endsWith(bytes);
      assertThat(read(LARGE)).isEqualTo(bytes);
    }
    assertThat(link.zeroCopied).isEqualTo(7 * LARGE);
  }

  @Test
  void smallAndHeapBuffersAreCopied() throws Exception {
    writer.write(buffer.limit(10_000), () -> true);
    writer.write(ByteBuffer.wrap(bytes), () -> true);
    assertThat(link.zeroCopied).isZero();
    writer.giveBack();
    assertThat(link.taken).isZero();
  }

  private static byte[] random(int seed, int bytes) {
    byte[] made = new byte[bytes];
    new Random(seed).nextBytes(made);
    return made;
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  private static byte[] joined(byte[]... parts) {
    ByteBuffer all = ByteBuffer.allocate(RING);
    for (byte[] part : parts) {
      all.put(part);
    }
    return java.util.Arrays.copyOf(all.array(), all.position());
  }

  /** A header, a body, a trailer, and another body: the bodies are not copied. */
  @Test
  void aGatheringWriteCopiesWhatIsSmallOnly() throws Exception {
    byte[] head = random(2, 50);
    byte[] tail = random(3, 20_000);
    byte[] body = random(4, 70_000);
    ByteBuffer[] srcs = {ByteBuffer.wrap(head), buffer, direct(tail), direct(body)};
    byte[] all = joined(head, bytes, tail, body);
    assertThat(writer.write(srcs, 0, srcs.length, () -> true)).isEqualTo(all.length);
    assertThat(srcs).allSatisfy(src -> assertThat(src.hasRemaining()).isFalse());
    assertThat(link.zeroCopied).isEqualTo(LARGE + body.length);
    assertThat(read(all.length)).isEqualTo(all);
    writer.giveBack();
    assertThat(link.taken).isEqualTo(1);
  }

  @Test
  void whatThePeerHasNotTakenOfAGatheringWriteIsKept() throws Exception {
    byte[] head = random(2, 50);
    byte[] body = random(4, 70_000);
    ByteBuffer second = direct(body);
    ByteBuffer[] srcs = {ByteBuffer.wrap(head), buffer, second};
    byte[] all = joined(head, bytes, body);
    writer.write(srcs, 0, srcs.length, () -> true);
    assertThat(read(100_000)).hasSize(100_000);
    writer.giveBack();
    buffer.clear().put(new byte[LARGE]); // the program's again
    second.clear().put(new byte[body.length]);
    int credit = (int) writer.credit().acknowledged();
    assertThat(credit).isPositive();
    assertThat(rest(writer.unacknowledged()))
        .isEqualTo(java.util.Arrays.copyOfRange(all, credit, all.length));
  }

  @Test
  void moreBuffersThanOneZeroCopySendHoldsGoInTwo() throws Exception {
    int count = 3;
    for (int lap = 0; lap < 12; lap++) {
      byte[][] parts = new byte[count][];
      ByteBuffer[] srcs = new ByteBuffer[count];
      for (int i = 0; i < count; i++) {
        parts[i] = random(lap * count + i, 64 * 1024);
        srcs[i] = direct(parts[i]);
      }
      byte[] all = joined(parts);
      assertThat(writer.write(srcs, 0, count, () -> true)).isEqualTo(all.length);
      assertThat(link.zeroCopied).isEqualTo((lap + 1) * all.length);
      assertThat(read(all.length)).isEqualTo(all);
    }
    assertThat(link.taken).as("it waited in between").isEqualTo(2);
    writer.giveBack();
    assertThat(link.taken).isEqualTo(3);
    assertThat(writer.unacknowledged().hasRemaining()).isFalse();
  }
}
