package org.slipstream.benchmarks.raw;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slipstream.benchmarks.programs.Wire;

/** Two raw rings, one each way, in one file that both processes map. */
final class RawWire implements Wire {
  private static final long PAGE = 4096;

  private static final int LEAST_BUFFER = 64 * 1024;

  private final Arena arena = Arena.ofShared();
  private final RawRing out;
  private final RawRing in;
  private final MemorySegment message;

  RawWire(Path file, boolean server, int bytes) throws IOException {
    MemorySegment memory;
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, RawProbe.FILE_BYTES, arena);
    }
    RawRing request = new RawRing(memory.asSlice(0, RawRing.BYTES));
    RawRing answer = new RawRing(memory.asSlice(RawRing.BYTES, RawRing.BYTES));
    this.out = server ? answer : request;
    this.in = server ? request : answer;
    this.message = arena.allocate(Math.max(bytes, LEAST_BUFFER), PAGE);
    for (long i = 0; i < message.byteSize(); i++) {
      message.set(ValueLayout.JAVA_BYTE, i, (byte) i);
    }
  }

  @Override
  public void send(int bytes) {
    out.write(message, bytes);
  }

  @Override
  public void receive(int bytes) {
    long done = 0;
    while (done < bytes) {
      done += in.read(message, done, bytes - done);
    }
  }

  @Override
  public int receiveSome(int most) {
    return (int) in.read(message, 0, most);
  }

  @Override
  public void put(int index, byte value) {
    message.set(ValueLayout.JAVA_BYTE, index, value);
  }

  @Override
  public byte get(int index) {
    return message.get(ValueLayout.JAVA_BYTE, index);
  }

  @Override
  public void putLong(int index, long value) {
    message.set(ValueLayout.JAVA_LONG, index, value);
  }

  @Override
  public long getLong(int index) {
    return message.get(ValueLayout.JAVA_LONG, index);
  }

  @Override
  public void close() {
    arena.close();
  }
}
