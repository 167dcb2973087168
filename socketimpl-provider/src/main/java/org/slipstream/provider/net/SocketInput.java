package org.slipstream.provider.net;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The input stream of a socket. */
final class SocketInput extends InputStream {
  private final SlipstreamSocketImpl socket;
  private final BufferCache buffers = new BufferCache();

  SocketInput(SlipstreamSocketImpl socket) {
    this.socket = socket;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) > 0 ? one[0] & 0xFF : -1;
  }

  @Override
  public int read(byte[] b, int off, int len) throws IOException {
    Objects.checkFromIndexSize(off, len, b.length);
    if (len == 0) {
      return 0;
    }
    ByteBuffer dst = buffers.take(b, off, len);
    try {
      return socket.read(dst);
    } finally {
      buffers.give(dst);
    }
  }

  @Override
  public int available() throws IOException {
    return socket.available();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  /** Keeps the buffer round the array that was used last, so that loops allocate nothing. */
  static final class BufferCache {
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
}
