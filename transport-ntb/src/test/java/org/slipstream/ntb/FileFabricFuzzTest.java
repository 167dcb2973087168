package org.slipstream.ntb;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.fuzz.FuzzTest;
import org.slipstream.fuzz.Fuzzer;
import org.slipstream.fuzz.Trace;

/**
 * The other node of a mapped file writes anything into its half, and into the words of ours that
 * are its to write. What we map of it lies in its half, and can be read and written in words.
 */
class FileFabricFuzzTest {
  private static final int RECORD = 12;
  private static final int BYTES = 1 << 20;
  private static final int SEGMENT = 77;
  private static final long HIS_EPOCH = 5;

  @TempDir private Path directory;
  private MemorySegment his;
  private MemorySegment ours;
  private FileFabric fabric;
  private Trace trace;
  private int messages;

  @FuzzTest
  void theOtherHalfMayHoldAnything() throws IOException {
    Path file = directory.resolve("window");
    try (RandomAccessFile f = new RandomAccessFile(file.toFile(), "rw");
        Arena arena = Arena.ofShared()) {
      f.setLength(BYTES);
      MemorySegment all = f.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, BYTES, arena);
      his = all.asSlice(0, BYTES / 2);
      ours = all.asSlice(BYTES / 2);
      fabric = FileFabric.open(file, 2, 1);
      Fuzzer.hex("file")
          .records(0, RECORD)
          .longest(40 * RECORD)
          .reaching("segment", "bulk", "message", "sent")
          .run(this::take);
      fabric.close();
    }
  }

  private void take(byte[] input, Trace t) {
    trace = t;
    messages = 0;
    ours.asSlice(FileLayout.MESSAGES, FileLayout.SEGMENTS - FileLayout.MESSAGES).fill((byte) 0);
    fabric.restart();
    his.asSlice(0, FileLayout.SEGMENTS).fill((byte) 0);
    FileLayout.putLong(his, 0, FileLayout.MAGIC);
    FileLayout.putLong(his, FileLayout.EPOCH, HIS_EPOCH);
    FileLayout.putLong(ours, FileLayout.SENDER, HIS_EPOCH);
    long entry = FileLayout.entry(0);
    FileLayout.putLong(his, entry, 1L << 32 | SEGMENT);
    FileLayout.putLong(his, entry + FileLayout.ENTRY_OFFSET, FileLayout.SEGMENTS);
    FileLayout.putLong(his, entry + FileLayout.ENTRY_SIZE, 1024);
    ByteBuffer in = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
    while (in.remaining() >= RECORD) {
      int move = in.get();
      int step = in.get();
      int where = Short.toUnsignedInt(in.getShort());
      move(Math.floorMod(move, 12), where, in.getLong());
      try {
        step(Math.floorMod(step, 5));
      } catch (IOException e) {
        trace.refused(e.getMessage());
      }
    }
  }

  private void move(int move, int where, long value) {
    long entry = FileLayout.entry(where % 2);
    switch (move) {
      case 1 -> FileLayout.putLong(his, where % (FileLayout.SEGMENTS / 8) * 8L, value);
      case 2 -> FileLayout.putLong(ours, FileLayout.TAKEN, value);
      case 3 -> FileLayout.putLong(ours, FileLayout.SENDER, value);
      case 4 -> FileLayout.putLong(his, entry, value);
      case 5 -> FileLayout.putLong(his, entry + FileLayout.ENTRY_OFFSET, value);
      case 6 -> FileLayout.putLong(his, entry + FileLayout.ENTRY_SIZE, value);
      case 7 -> FileLayout.putLong(his, entry + FileLayout.ENTRY_SERIAL, value);
      case 8 -> message(where, 0);
      case 9 -> message((int) value, value);
      case 10 -> FileLayout.putLong(his, FileLayout.EPOCH, value);
      case 11 -> FileLayout.putLong(his, 0, value);
      default -> {}
    }
  }

  /** Into the place of the next one, as a sender does. */
  private void message(int length, long lie) {
    long at = FileLayout.message(messages);
    FileLayout.putInt(ours, at, length);
    long epoch = FileLayout.getLong(ours, FileLayout.EPOCH);
    long sender = FileLayout.getLong(ours, FileLayout.SENDER);
    long number = FileLayout.number(epoch, sender, ++messages);
    FileLayout.putLong(ours, at + FileLayout.MESSAGE_NUMBER, number + lie);
  }

  private void step(int step) throws IOException {
    switch (step) {
      case 1 -> map(false);
      case 2 -> map(true);
      case 3 -> {
        byte[] message = fabric.await(0);
        if (message == null) {
          trace.reached("no message");
        } else {
          assertThat(message.length).isBetween(0, Fabric.MESSAGE_BYTES);
          trace.reached("message");
        }
      }
      case 4 -> {
        if (fabric.send(1, 1, new byte[Fabric.MESSAGE_BYTES])) {
          trace.reached("sent");
        }
      }
      default -> {}
    }
  }

  private void map(boolean bulk) throws IOException {
    Imported segment = fabric.connect(1, SEGMENT, bulk);
    if (segment == null) {
      trace.refused("no such segment");
      return;
    }
    trace.reached(bulk ? "bulk" : "segment");
    MemorySegment memory = segment.memory();
    assertThat(memory.byteSize()).isBetween(1L, (long) BYTES / 2);
    memory.set(JAVA_BYTE, memory.byteSize() - 1, (byte) 1);
    if (memory.byteSize() >= Long.BYTES) {
      FileLayout.putLong(memory, 0, 1); // words are written so
    }
    assertThat(segment.health()).isEqualTo(Imported.Health.GOOD);
    segment.close();
  }
}
