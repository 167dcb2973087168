package org.slipstream.provider.nio;

import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The input stream of a {@link SocketAdaptor}: blocking reads with SO_TIMEOUT. */
final class ChannelInput extends InputStream {
  private final SocketChannel channel;
  private final TimedReads reads;

  <C extends SocketChannel & TimedReads> ChannelInput(C channel) {
    this.channel = channel;
    this.reads = channel;
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
    if (!channel.isOpen()) {
      throw new ClosedChannelException();
    }
    if (!channel.isBlocking()) {
      throw new IllegalBlockingModeException();
    }
    int timeout = reads.timeoutMillis();
    long deadline = timeout == 0 ? 0 : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeout);
    return reads.readUntil(
        ByteBuffer.wrap(b, off, len), deadline == 0 && timeout > 0 ? 1 : deadline);
  }

  @Override
  public int available() throws IOException {
    if (!channel.isOpen()) {
      throw new SocketException("Socket is closed");
    }
    return reads.available();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
