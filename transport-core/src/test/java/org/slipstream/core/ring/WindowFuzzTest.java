package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.slipstream.fuzz.FuzzTest;
import org.slipstream.fuzz.Fuzzer;
import org.slipstream.fuzz.Trace;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.transport.ControlLayout;

/**
 * The peer's stores into our window, among what an honest peer does, while we read and write: the
 * words of {@link ControlLayout}, the mailbox, checksums. The first lie gets a {@link
 * ProtocolViolationException}; as long as no peer lies, no byte is lost or wrong.
 *
 * <p>An input: one byte (bit 0: positions carry a checksum; bit 1: an eighth of the ring is
 * committed), then records of {@code blow(1) action(1) where(2) value(8)}, little-endian.
 */
class WindowFuzzTest {
  private static final int SIZE = 4096;
  private static final int HEAD = 1;
  private static final int RECORD = 12;

  private static final int BLOWS = 12;
  private static final int ACTIONS = 18;

  private RingEnd victim;
  private RingEnd peer;
  private Trace trace;
  private boolean honest;
  private boolean ended;

  /** Bytes that the peer has sent, and that we have read, while the peer was honest. */
  private long sent;

  private long got;
  private long written;
  private long taken;

  @FuzzTest
  void wordsOfTheWindowMayBeAnything() {
    Fuzzer.hex("window")
        .records(HEAD, RECORD)
        .longest(HEAD + 60 * RECORD)
        .reaching(
            "bytes",
            "mailbox",
            "proof",
            "all laps",
            "fin",
            "armed",
            "doorbell",
            "credit",
            "starved",
            "grown")
        .run(this::take);
  }

  private void take(byte[] input, Trace t) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
    int flags = in.hasRemaining() ? in.get() : 0;
    HeapLink.Pair pair = HeapLink.pair(SIZE, (flags & 2) == 0 ? SIZE : SIZE / 8);
    if ((flags & 1) != 0) {
      pair.a().proving();
      pair.b().proving();
    }
    victim = new RingEnd(pair.a());
    peer = new RingEnd(pair.b());
    victim.consumer().credit().open();
    peer.consumer().credit().open();
    trace = t;
    honest = true;
    ended = false;
    sent = got = written = taken = 0;
    while (in.remaining() >= RECORD) {
      int blow = in.get();
      int action = in.get();
      int where = Short.toUnsignedInt(in.getShort());
      long value = in.getLong();
      strike(Math.floorMod(blow, BLOWS), where, value);
      try {
        act(Math.floorMod(action, ACTIONS), where);
      } catch (ProtocolViolationException e) {
        assertThat(e).hasMessageStartingWith("Peer");
        assertThat(honest).as("honest, and yet " + e).isFalse();
        trace.refused(e.getMessage());
      }
    }
    if (honest) {
      readAll();
      if ((flags & 1) != 0 && got > 0) {
        trace.reached("proof");
      }
    }
  }

  // -- the peer --------------------------------------------------------------------------------

  private void strike(int blow, int where, long value) {
    try {
      switch (blow) {
        case 1 -> lie(where % (ControlLayout.BYTES / Long.BYTES) * Long.BYTES, value);
        case 2 -> {
          honest = false;
          victim.peerSaysInt(
              where % (ControlLayout.BYTES / Integer.BYTES) * Integer.BYTES, (int) value);
        }
        case 3 -> lie(ControlLayout.POSITION, peer.producer().credit().position() + value);
        case 4 -> lie(ControlLayout.CREDIT, victim.producer().credit().position() + value);
        case 5 -> lie(ControlLayout.INLINE, ControlLayout.inline(got + value, where & 127));
        case 6 -> lie(ControlLayout.FIN_AT, 1 + peer.producer().credit().position() + value);
        case 7 -> peerWrites(where % (2 * SIZE));
        case 8 -> peerWrites(where % (ControlLayout.MAILBOX_BYTES + 2));
        case 9 -> peerReads();
        case 10 -> {
          peer.producer().publishFin();
          ended = true;
        }
        case 11 -> touch(peer.consumer().arm());
        default -> {}
      }
    } catch (IOException e) {
      assertThat(honest).as("we lied to an honest peer: " + e).isFalse();
    }
  }

  private void lie(int offset, long value) {
    honest = false;
    victim.peerSays(offset, value);
  }

  private void peerWrites(int length) throws IOException {
    if (ended) {
      return;
    }
    byte[] bytes = tape(sent, length);
    int before = peer.doorbells();
    sent += peer.write(bytes);
    if (peer.doorbells() > before) {
      trace.reached("doorbell");
    }
    if (sent > SIZE) {
      trace.reached("all laps");
    }
  }

  private void peerReads() throws IOException {
    byte[] bytes = peer.read(3 * SIZE);
    if (honest) {
      assertThat(bytes).as("what we wrote").isEqualTo(tape(taken, bytes.length));
    }
    taken += bytes.length;
    touch(peer.consumer().credit().takeNotice());
  }

  // -- we --------------------------------------------------------------------------------------

  private void act(int action, int where) throws IOException {
    RingConsumer in = victim.consumer();
    RingProducer out = victim.producer();
    switch (action) {
      case 1 -> read(1 + where % 100);
      case 2 -> read(3 * SIZE);
      case 3 -> assertThat(in.availableBytes()).isBetween(0, SIZE);
      case 4 -> {
        touch(in.available());
        touch(in.peekAvailable());
        touch(in.peekFin());
        touch(in.isPending());
        assertThat(in.peekUsed()).isBetween(0, SIZE);
        assertThat(out.credit().peekUsed()).isBetween(0, SIZE);
        touch(out.credit().peekSpace());
      }
      case 5 -> {
        if (in.finReached()) {
          trace.reached("fin");
        }
      }
      case 6 -> {
        if (in.arm()) {
          trace.reached("armed");
        }
      }
      case 7 -> in.doorbellHeard();
      case 8 -> write(where % (ControlLayout.MAILBOX_BYTES + 2));
      case 9 -> write(where % (2 * SIZE));
      case 10 -> assertThat(out.credit().space(where)).isBetween(0, SIZE);
      case 11 -> touch(out.credit().isDrained());
      case 12 -> {
        out.credit().request();
        trace.reached("starved");
      }
      case 13 -> {
        if (in.credit().takeNotice()) {
          trace.reached("credit");
        }
      }
      case 14 -> assertThat(out.unacknowledged().remaining()).isBetween(0, SIZE);
      case 15 -> gather();
      case 16 -> {
        touch(out.epochs().isOver());
        touch(out.epochs().isSeen());
        assertThat(in.epochs().nextAt()).isGreaterThanOrEqualTo(-1);
        in.endEpoch();
      }
      case 17 -> touch(in.availableAfterAll());
      default -> {}
    }
  }

  private void read(int room) throws IOException {
    long before = victim.consumer().consumed();
    long inline = victim.word(ControlLayout.INLINE);
    ByteBuffer dst = ByteBuffer.allocate(room);
    int n = victim.consumer().read(dst);
    assertThat(n).isBetween(0, Math.min(room, SIZE));
    assertThat(dst.position()).isEqualTo(n);
    assertThat(victim.consumer().consumed()).isEqualTo(before + n);
    if (honest) {
      assertThat(dst.flip()).as("at " + got).isEqualTo(ByteBuffer.wrap(tape(got, n)));
    }
    got += n;
    if (n > 0) {
      trace.reached("bytes");
      if (ControlLayout.inlineStart(inline) == before && ControlLayout.inlineLength(inline) > 0) {
        trace.reached("mailbox");
      }
    }
    if (victim.link().window().committedBytes() > SIZE / 8) {
      trace.reached(got > SIZE / 8 ? "grown" : "committed");
    }
  }

  private void write(int length) throws IOException {
    int n = victim.write(tape(written, length));
    assertThat(n).isBetween(0, Math.min(length, SIZE));
    written += n;
  }

  private void gather() throws IOException {
    ByteBuffer direct = ByteBuffer.allocateDirect(SIZE);
    direct.put(tape(written + 70, SIZE)).flip();
    long n = victim.write(new ByteBuffer[] {ByteBuffer.wrap(tape(written, 70)), direct});
    assertThat(n).isBetween(0L, 70L + SIZE);
    written += n;
  }

  /** An honest end has lost nothing. */
  private void readAll() throws IOException {
    while (victim.consumer().availableAfterAll()) {
      read(3 * SIZE);
    }
    assertThat(got).as("bytes that arrived").isEqualTo(sent);
    peerReads();
    while (peer.consumer().availableAfterAll()) {
      peerReads();
    }
    assertThat(taken).as("bytes that arrived there").isEqualTo(written);
    assertThat(victim.consumer().finReached()).isEqualTo(ended);
  }

  private static byte[] tape(long from, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      long at = from + i;
      bytes[i] = (byte) (at * 31 + (at >>> 8) * 7);
    }
    return bytes;
  }

  private static void touch(boolean anything) {
    assertThat(anything).isIn(true, false);
  }
}
