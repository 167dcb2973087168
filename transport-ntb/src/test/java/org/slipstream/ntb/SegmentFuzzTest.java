package org.slipstream.ntb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.slipstream.fuzz.FuzzTest;
import org.slipstream.fuzz.Fuzzer;
import org.slipstream.fuzz.Trace;
import org.slipstream.transport.Session;

/**
 * The peer's stores into the segment of a session, among what an honest peer does. The fabric is
 * trusted, so nothing is refused for its proof alone. The first lie is an IOException; as long as
 * no peer lies every message arrives, in order.
 */
class SegmentFuzzTest {
  private static final int RECORD = 12;

  private final MemorySegment ours = Arena.ofAuto().allocate(SessionLayout.BYTES, 64);
  private final MemorySegment his = Arena.ofAuto().allocate(SessionLayout.BYTES, 64);
  private MessageRing we;
  private MessageRing he;
  private Trace trace;
  private boolean honest;
  private int sentByHim;
  private int takenByUs;
  private int sentByUs;
  private int takenByHim;

  @FuzzTest
  void wordsAndMessagesMayBeAnything() {
    Fuzzer.hex("session-segment")
        .records(0, RECORD)
        .longest(60 * RECORD)
        .allocating(16 << 20) // each record may take a ring full of messages: 4.8 MB was seen
        .reaching("taken", "longest", "he has taken", "he wants to be woken")
        .run(this::take);
  }

  private static MessageRing ring(MemorySegment own, MemorySegment peer) {
    return new MessageRing(own, new HeapImported(peer), MessageMac.of(null), MessageMac.of(null));
  }

  private void take(byte[] input, Trace t) throws IOException {
    ours.fill((byte) 0);
    his.fill((byte) 0);
    we = ring(ours, his);
    he = ring(his, ours);
    trace = t;
    honest = true;
    sentByHim = takenByUs = sentByUs = takenByHim = 0;
    ByteBuffer in = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
    while (in.remaining() >= RECORD) {
      int move = in.get();
      int step = in.get();
      int where = Short.toUnsignedInt(in.getShort());
      move(Math.floorMod(move, 8), where, in.getLong());
      try {
        step(Math.floorMod(step, 5), where);
      } catch (IOException e) {
        assertThat(honest).as("honest, and yet " + e).isFalse();
        trace.refused(e.getMessage());
        return; // the session ends
      }
    }
    while (honest && (takenByUs < sentByHim || takenByHim < sentByUs)) {
      int before = takenByUs + takenByHim;
      we.receive((kind, body) -> taken(kind, body, true));
      he.receive((kind, body) -> takenThere());
      we.flush();
      he.flush();
      assertThat(takenByUs + takenByHim).as("messages that arrived").isGreaterThan(before);
    }
  }

  private void move(int move, int where, long value) throws IOException {
    switch (move) {
      case 1 -> lie(where % (SessionLayout.RING / 8) * 8L, value);
      case 2 -> lie(SessionLayout.POSITION, SessionLayout.get(ours, 0) + value);
      case 3 -> lie(SessionLayout.TAKEN, SessionLayout.get(ours, SessionLayout.TAKEN) + value);
      case 4 -> SessionLayout.put(ours, SessionLayout.ROOM_REQUEST, value);
      case 5 -> he.send((byte) sentByHim++, body(where));
      case 6 -> {
        try {
          he.receive((kind, body) -> takenThere());
        } catch (IOException e) {
          assertThat(honest).as("we lied to an honest peer: " + e).isFalse();
        }
      }
      case 7 -> lie(SessionLayout.RING + where % (SessionLayout.RING_BYTES / 8) * 8L, value);
      default -> {}
    }
  }

  private void lie(long offset, long value) {
    honest &= offset > SessionLayout.ROOM_REQUEST && offset < SessionLayout.RING;
    SessionLayout.put(ours, offset, value);
  }

  private static ByteBuffer body(int where) {
    return ByteBuffer.allocate(where % (Session.MAX_FRAME_BYTES + 1));
  }

  private void step(int step, int where) throws IOException {
    switch (step) {
      case 1, 4 -> {
        if (we.receive((kind, body) -> taken(kind, body, step == 1))) {
          trace.reached("he wants to be woken");
        }
      }
      case 2 -> {
        we.send((byte) 1, body(where));
        sentByUs++;
      }
      case 3 -> we.flush();
      default -> {}
    }
  }

  private boolean taken(byte kind, ByteBuffer body, boolean more) {
    assertThat(body.remaining()).isBetween(0, Session.MAX_FRAME_BYTES);
    if (honest) {
      assertThat(kind).isEqualTo((byte) takenByUs);
    }
    takenByUs++;
    trace.reached(body.remaining() == Session.MAX_FRAME_BYTES ? "longest" : "taken");
    return more;
  }

  private boolean takenThere() {
    takenByHim++;
    trace.reached("he has taken");
    return true;
  }
}
