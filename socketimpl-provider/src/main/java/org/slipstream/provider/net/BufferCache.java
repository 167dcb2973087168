package org.slipstream.provider.net;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Keeps the buffer round the array that was used last, so that loops allocate nothing. */
final class BufferCache {
  /** A larger array is not kept alive for the sake of one small object. */
  private static final int MAX_ARRAY = 256 * 1024;

  private static final VarHandle LAST;

  static {
    try {
      LAST = MethodHandles.lookup().findVarHandle(BufferCache.class, "last", ByteBuffer.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Taken out while in use. */
  @SuppressWarnings("unused") // by its handle
  private @Nullable ByteBuffer last;

  @SuppressWarnings({"ReferenceEquality", "ByteBufferBackingArray"}) // wrapped whole, by us
  ByteBuffer take(byte[] b, int off, int len) {
    ByteBuffer buffer = (ByteBuffer) LAST.getAndSet(this, (ByteBuffer) null);
    if (buffer == null || buffer.array() != b) {
      return ByteBuffer.wrap(b, off, len);
    }
    return buffer.limit(off + len).position(off);
  }

  void give(ByteBuffer buffer) {
    if (buffer.capacity() <= MAX_ARRAY) {
      LAST.setRelease(this, buffer);
    }
  }
}
