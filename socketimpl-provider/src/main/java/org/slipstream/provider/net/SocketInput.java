package org.slipstream.provider.net;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/** The input stream of a socket. */
final class SocketInput extends InputStream {
  private final SocketData socket;
  private final BufferCache buffers = new BufferCache();

  SocketInput(SocketData socket) {
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
}
