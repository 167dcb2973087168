package org.slipstream.ntb;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Seed;

/** Records arrive whole and in order, whatever becomes of the stores on their way. */
class RecordRingTest {
  @RegisterExtension final Seed seed = new Seed();

  private final MemorySegment ours = Arena.ofAuto().allocate(LaneLayout.BYTES, 64);

  /** What the writer has stored, which arrives as the test wants. */
  private final MemorySegment sent = Arena.ofAuto().allocate(LaneLayout.BYTES, 64);

  private final RecordWriter writer = new RecordWriter(new HeapImported(sent));
  private final RecordReader reader = new RecordReader(ours);

  private void write(int bytes, long mark) {
    MemorySegment record = writer.begin();
    LaneLayout.putInt(record, LaneLayout.LENGTH, bytes);
    LaneLayout.putLong(record, LaneLayout.AT, mark);
    for (int i = 0; i < bytes; i++) {
      record.set(JAVA_BYTE, LaneLayout.start(bytes) + (long) i, (byte) (mark + i));
    }
    writer.store();
  }

  private void assertTaken(int bytes, long mark) {
    assertThat(reader.take()).isTrue();
    MemorySegment record = reader.record();
    assertThat(LaneLayout.getInt(record, LaneLayout.LENGTH)).isEqualTo(bytes);
    assertThat(LaneLayout.getLong(record, LaneLayout.AT)).isEqualTo(mark);
    for (int i = 0; i < bytes; i++) {
      byte is = record.get(JAVA_BYTE, LaneLayout.start(bytes) + (long) i);
      if (is != (byte) (mark + i)) {
        throw new AssertionError("byte " + i + " of record " + mark + " is " + is);
      }
    }
  }

  private void arriveAll() {
    ours.copyFrom(sent);
  }

  @Test
  void recordsOfAllSizesGoRoundTheRing() {
    Random random = seed.random();
    for (int mark = 0; mark < 2_000; mark++) {
      int bytes =
          switch (mark % 4) {
            case 0 -> random.nextInt(LaneLayout.INLINE_BYTES + 2);
            case 1 -> random.nextInt(200);
            case 2 -> LaneLayout.MAX_PIECE;
            default -> random.nextInt(LaneLayout.MAX_PIECE + 1);
          };
      long before = writer.position();
      write(bytes, mark);
      assertThat(writer.position() - before).isEqualTo(LaneLayout.padded(bytes));
      assertThat(reader.hasMore()).isFalse();
      assertThat(reader.take()).isFalse();
      assertThat(reader.isPending()).isFalse();
      arriveAll();
      assertThat(reader.hasMore()).isTrue();
      assertTaken(bytes, mark);
      assertThat(reader.position()).isEqualTo(writer.position());
      assertThat(reader.number()).isEqualTo(writer.number());
    }
  }

  /** Line by line in any order: before the last line has come, nothing is taken. */
  @Test
  void aRecordWithAHoleHasNotArrived() {
    Random random = seed.random();
    for (int mark = 0; mark < 300; mark++) {
      int bytes = random.nextInt(2_000);
      final long start = writer.position();
      write(bytes, mark);
      List<Long> lines = new ArrayList<>();
      for (long at = start; at < writer.position(); at += 64) {
        lines.add(LaneLayout.place(at));
      }
      Collections.shuffle(lines, random);
      for (long line : lines) {
        boolean known = ours.asSlice(line, 64).mismatch(sent.asSlice(line, 64)) < 0;
        if (!known) {
          assertThat(reader.take()).isFalse();
        }
        MemorySegment.copy(sent, line, ours, line, 64);
      }
      assertTaken(bytes, mark);
    }
  }

  @Test
  void aLengthThatIsNoneIsNeverTaken() {
    write(0, 1);
    arriveAll();
    for (int length : new int[] {-1, LaneLayout.MAX_PIECE + 1, Integer.MAX_VALUE}) {
      LaneLayout.putInt(ours, LaneLayout.RING + LaneLayout.LENGTH, length);
      assertThat(reader.take()).isFalse();
      assertThat(reader.isPending()).isTrue();
    }
  }
}
