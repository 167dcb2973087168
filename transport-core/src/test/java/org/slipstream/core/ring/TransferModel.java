package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.slipstream.transport.ControlLayout;

/** One direction between two ends: every byte is a function of its position. */
final class TransferModel {
  private final RingEnd from;
  private final RingEnd to;
  private final long start;
  private final int size;
  private long sent;
  private long received;
  private boolean doorbellUnread;
  private int doorbellsBefore;

  TransferModel(RingEnd from, RingEnd to, long start) {
    this.from = from;
    this.to = to;
    this.start = start;
    this.size = (int) from.link().sendRing().byteSize();
  }

  static byte at(long position) {
    return (byte) (position * 31 + (position >>> 8) * 7 + (position >>> 16));
  }

  private static ByteBuffer buffer(int capacity, boolean direct) {
    // Neither end of the buffer is the end of what is written: a shift by one would show.
    ByteBuffer b =
        direct ? ByteBuffer.allocateDirect(capacity + 7) : ByteBuffer.allocate(capacity + 7);
    return b.position(3).slice(3, capacity);
  }

  private ByteBuffer next(int n, long position, boolean direct) {
    ByteBuffer b = buffer(n, direct);
    for (int i = 0; i < n; i++) {
      b.put(i, at(position + i));
    }
    return b;
  }

  void write(int n, boolean direct) throws IOException {
    ByteBuffer src = next(n, sent, direct);
    doorbellsBefore = from.doorbells();
    int written = from.write(direct ? src : src.asReadOnlyBuffer());
    assertThat(src.position() == written || !direct).isTrue();
    wrote(written, n);
  }

  void gather(int n, boolean direct) throws IOException {
    ByteBuffer[] srcs = {
      next(n / 3, sent, direct),
      ByteBuffer.allocate(0),
      next(n / 7, sent + n / 3, !direct),
      next(n - n / 3 - n / 7, sent + n / 3 + n / 7, direct)
    };
    doorbellsBefore = from.doorbells();
    long written = from.write(srcs);
    long taken = 0;
    for (ByteBuffer b : srcs) {
      taken += b.position();
    }
    assertThat(taken).isEqualTo(written);
    wrote(written, n);
  }

  private void wrote(long written, int wanted) throws IOException {
    sent += written;
    int doorbells = from.doorbells() - doorbellsBefore;
    assertThat(doorbells).as("doorbells of one write").isLessThanOrEqualTo(1);
    if (doorbells == 1) {
      assertThat(doorbellUnread).as("a second doorbell before the first was heard").isFalse();
      doorbellUnread = true;
    }
    if (written < wanted) {
      assertThat(from.producer().credit().space(1)).as("gave up with space left").isZero();
    }
    if (written > 0 && to.link().window().committedBytes() == 0) {
      throw new AssertionError("wrote into nothing");
    }
  }

  int read(int room, boolean direct) throws IOException {
    ByteBuffer dst = buffer(room, direct);
    int n = to.consumer().read(dst);
    assertThat(dst.position()).isEqualTo(n);
    for (int i = 0; i < n; i++) {
      assertThat(dst.get(i)).isEqualTo(at(received + i));
    }
    received += n;
    return n;
  }

  void arm() throws IOException {
    if (doorbellUnread) {
      doorbellUnread = false;
      to.consumer().doorbellHeard();
    }
    assertThat(to.consumer().arm()).isEqualTo(received == sent);
  }

  void starve() throws IOException {
    from.producer().credit().request();
    boolean asleep = from.producer().credit().space(1) == 0;
    if (!asleep || sent == received) {
      return;
    }
    boolean notice = false;
    do {
      notice |= to.consumer().credit().takeNotice();
    } while (read(size, false) > 0);
    notice |= to.consumer().credit().takeNotice();
    assertThat(notice).as("a starved writer gets a notice").isTrue();
    if (to.consumer().credit().growFailure() == null) {
      assertThat(from.producer().credit().space(1)).isPositive();
    }
  }

  void check() throws IOException {
    assertThat(from.producer().credit().position()).isEqualTo(start + sent);
    assertThat(to.consumer().consumed()).isEqualTo(start + received);
    assertThat(sent - received).isBetween(0L, (long) size);
    assertThat(from.word(ControlLayout.CREDIT)).isLessThanOrEqualTo(start + received);
    assertThat(from.word(ControlLayout.PIGGYBACK)).isLessThanOrEqualTo(start + received);
    assertThat(to.consumer().peekAvailable()).isEqualTo(sent != received);
  }

  /** Everything that was sent comes out, and then nothing. */
  void drain() throws IOException {
    while (read(1 + size / 3, true) > 0) {
      check();
    }
    assertThat(received).isEqualTo(sent);
    assertThat(to.consumer().available()).isFalse();
  }
}
