package org.slipstream.ntb;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.slipstream.fuzz.FuzzTest;
import org.slipstream.fuzz.Fuzzer;
import org.slipstream.fuzz.Trace;
import org.slipstream.transport.MemoryAccess;
import org.slipstream.transport.MemoryOutcome;

/**
 * The peer of a lane stores anything into its ring: records whose sum is right, and any bytes. An
 * owner changes nothing but what it has granted, and a client nothing but the memory of operations
 * that it has posted; a lie ends the session, and no exception comes out.
 */
class LaneFuzzTest {
  private static final int RECORD = 44;
  private static final int SIZE = 4096;
  private static final MemoryAccess ALL = new MemoryAccess(true, true, true);

  /** The region, with as much before it and behind it that no peer may change. */
  private final MemorySegment around = Arena.ofAuto().allocate(3 * SIZE, 64);

  private final MemorySegment region = around.asSlice(SIZE, SIZE);
  private final MemorySegment zeros = Arena.ofAuto().allocate(3 * SIZE, 64);
  private LanePair pair;
  private RecordWriter liar;
  private Trace trace;

  private static Fuzzer fuzzer(String name) {
    return Fuzzer.hex(name).records(0, RECORD).longest(40 * RECORD).allocating(16 << 20);
  }

  /** A record with a right sum, or raw bytes; returns what else to do. */
  private int store(ByteBuffer in, MemorySegment ring, long real, long other) {
    final int move = in.get();
    final int step = in.get();
    final int length = Short.toUnsignedInt(in.getShort());
    final long credit = in.getLong();
    final long subject = in.getLong();
    final long at = in.getLong();
    final long first = in.getLong();
    final long second = in.getLong();
    if (Math.floorMod(move, 8) == 7) {
      long place = LaneLayout.RING + Math.floorMod(at, (long) LaneLayout.RING_BYTES / 8) * 8;
      LaneLayout.putRelease(ring, place, first);
    } else if (Math.floorMod(move, 8) != 6) {
      int bytes = Math.min(length, LaneLayout.MAX_PIECE);
      MemorySegment record = liar.begin();
      record.set(JAVA_BYTE, LaneLayout.KIND, (byte) Math.floorMod(move, 6));
      LaneLayout.putInt(record, LaneLayout.LENGTH, bytes);
      LaneLayout.putLong(record, LaneLayout.CREDIT, credit);
      long which = subject == 0 ? real : subject == 1 ? other : subject;
      LaneLayout.putLong(record, LaneLayout.SUBJECT, which);
      LaneLayout.putLong(record, LaneLayout.AT, at);
      LaneLayout.putLong(record, LaneLayout.INLINE, first);
      LaneLayout.putLong(record, LaneLayout.INLINE + Long.BYTES, second);
      liar.store();
    }
    return step;
  }

  private void begin(Trace t) throws IOException {
    trace = t;
    around.fill((byte) 0);
    pair = new LanePair();
    pair.openLane();
  }

  // -- an owner --------------------------------------------------------------------------------

  @FuzzTest
  void requestsMayBeAnything() {
    fuzzer("lane-requests")
        .reaching("answered", "written", "added", "armed")
        .run((input, t) -> {
          begin(t);
          serve(ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN));
        });
  }

  private void serve(ByteBuffer in) throws IOException {
    liar = new RecordWriter(pair.atOwner);
    long real = pair.grants.add(new GrantedMemory(region, ALL));
    GrantedMemory over = new GrantedMemory(region, ALL);
    final long other = pair.grants.add(over);
    over.revoke();
    while (in.remaining() >= RECORD && pair.failures.isEmpty()) {
      int step = store(in, pair.requests, real, other);
      if (step % 4 == 3) {
        trace.reached(pair.owner.arm() ? "armed" : "not armed");
      } else if (step % 4 != 0 && pair.owner.serve()) {
        trace.reached("answered");
      }
    }
    if (!pair.failures.isEmpty()) {
      trace.refused(pair.failures.getFirst());
      assertThat(pair.owner.isEnded()).isTrue();
      assertThat(pair.owner.serve()).isFalse();
    }
    if (region.mismatch(zeros.asSlice(0, SIZE)) >= 0) {
      trace.reached(LaneLayout.getLong(region, 8) != 0 ? "added" : "written");
    }
    assertThat(around.asSlice(0, SIZE).mismatch(zeros.asSlice(0, SIZE))).isEqualTo(-1);
    assertThat(around.asSlice(2L * SIZE).mismatch(zeros.asSlice(0, SIZE))).isEqualTo(-1);
  }

  // -- a client --------------------------------------------------------------------------------

  @FuzzTest
  void answersMayBeAnything() {
    fuzzer("lane-answers")
        .reaching("done", "revoked", "lost")
        .run((input, t) -> {
          begin(t);
          ask(ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN));
        });
  }

  private void ask(ByteBuffer in) {
    liar = new RecordWriter(pair.atClient);
    NtbMemoryQueue queue = new NtbMemoryQueue(4);
    NtbPeerMemory memory = new NtbPeerMemory(pair, 1);
    long[] ids = new long[4];
    MemoryOutcome[] outcomes = new MemoryOutcome[4];
    long posted = 0;
    long polled = 0;
    while (in.remaining() >= RECORD && pair.open) {
      int step = store(in, pair.answers, posted, posted + 1);
      boolean taken =
          switch (Math.floorMod(step, 5)) {
            case 1 -> queue.read(memory, 0, region.asSlice(0, 8), posted);
            case 2 -> queue.write(memory, 0, region.asSlice(0, 1000), posted);
            case 3 -> queue.read(memory, 0, region.asSlice(8, 100), posted);
            case 4 -> queue.fetchAdd(memory, 0, 1, region.asSlice(0, 8), posted);
            default -> false;
          };
      posted += taken ? 1 : 0;
      queue.submit();
      int n = queue.poll(ids, outcomes);
      for (int i = 0; i < n; i++) {
        assertThat(ids[i]).isEqualTo(polled++);
        trace.reached(
            switch (outcomes[i]) {
              case DONE -> "done";
              case REVOKED -> "revoked";
              case LOST -> "lost";
            });
      }
    }
    if (!pair.open) {
      trace.refused(pair.failures.getFirst());
      while (polled < posted) {
        int n = queue.poll(ids, outcomes);
        assertThat(n).as("all ends").isPositive();
        polled += n;
      }
    }
    assertThat(around.asSlice(0, SIZE).mismatch(zeros.asSlice(0, SIZE))).isEqualTo(-1);
    assertThat(region.asSlice(108).mismatch(zeros.asSlice(0, SIZE - 108))).isEqualTo(-1);
  }
}
