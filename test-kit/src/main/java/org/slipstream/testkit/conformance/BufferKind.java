package org.slipstream.testkit.conformance;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The kinds of writable buffers that a program may come along with. */
enum BufferKind {
  HEAP,
  HEAP_SLICE,
  HEAP_SUBARRAY,
  DIRECT,
  DIRECT_SLICE,
  DIRECT_DUPLICATE,
  MAPPED_FILE,
  HEAP_SEGMENT,
  CONFINED_SEGMENT,
  SHARED_SEGMENT,
  AUTOMATIC_SEGMENT,
  GLOBAL_SEGMENT_SLICE;

  /** A buffer of this kind at position 0, whose limit and capacity are the length. */
  ByteBuffer allocate(int length) throws IOException {
    return switch (this) {
      case HEAP -> ByteBuffer.allocate(length);
      case HEAP_SLICE -> ByteBuffer.allocate(length + 20).slice(7, length);
      case HEAP_SUBARRAY -> ByteBuffer.wrap(new byte[length + 20], 13, length).slice();
      case DIRECT -> ByteBuffer.allocateDirect(length);
      case DIRECT_SLICE -> ByteBuffer.allocateDirect(length + 20).slice(7, length);
      case DIRECT_DUPLICATE -> ByteBuffer.allocateDirect(length).duplicate();
      case MAPPED_FILE -> map(length);
      case HEAP_SEGMENT -> MemorySegment.ofArray(new byte[length + 9]).asSlice(9).asByteBuffer();
      case CONFINED_SEGMENT -> Arena.ofConfined().allocate(length).asByteBuffer();
      case SHARED_SEGMENT -> Arena.ofShared().allocate(length).asByteBuffer();
      case AUTOMATIC_SEGMENT -> Arena.ofAuto().allocate(length).asByteBuffer();
      case GLOBAL_SEGMENT_SLICE ->
          Arena.global().allocate(length + 5L, 1).asSlice(3, length).asByteBuffer();
    };
  }

  private static ByteBuffer map(int length) throws IOException {
    Path file = Files.createTempFile("conformance", ".mapped");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, length);
    } finally {
      Files.delete(file);
    }
  }
}
