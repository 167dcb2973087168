package org.slipstream.testkit.socket;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.slipstream.testkit.shape.Shape;

/** A socket and its streams, which it hands out only as long as they are open. */
public final class SocketEnd implements Shape.End {
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  /** An end of an open connection. */
  public SocketEnd(Socket socket) throws IOException {
    this.socket = socket;
    this.in = socket.getInputStream();
    this.out = socket.getOutputStream();
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    byte[] bytes = new byte[target.remaining()];
    int n = in.read(bytes);
    if (n > 0) {
      target.put(bytes, 0, n);
    }
    return n;
  }

  @Override
  public void write(ByteBuffer source) throws IOException {
    byte[] bytes = new byte[source.remaining()];
    source.get(bytes);
    out.write(bytes);
  }

  @Override
  public void shutdownInput() throws IOException {
    socket.shutdownInput();
  }

  @Override
  public void shutdownOutput() throws IOException {
    socket.shutdownOutput();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  @Override
  public void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public boolean isOpen() {
    return !socket.isClosed();
  }
}
