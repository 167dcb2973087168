package org.slipstream.provider.net;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/** The output stream of a socket: writes everything. */
final class SocketOutput extends OutputStream {
  private final SocketData socket;
  private final BufferCache buffers = new BufferCache();

  SocketOutput(SocketData socket) {
    this.socket = socket;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] b, int off, int len) throws IOException {
    Objects.checkFromIndexSize(off, len, b.length);
    if (len == 0) {
      return;
    }
    ByteBuffer src = buffers.take(b, off, len);
    try {
      socket.write(src);
    } finally {
      buffers.give(src);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
