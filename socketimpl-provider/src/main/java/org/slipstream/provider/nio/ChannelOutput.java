package org.slipstream.provider.nio;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.IllegalBlockingModeException;
import java.util.Objects;

/** The output stream of a {@link SocketAdaptor}: writes everything. */
final class ChannelOutput extends OutputStream {
  private final SlipstreamSocketChannel channel;

  ChannelOutput(SlipstreamSocketChannel channel) {
    this.channel = channel;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] b, int off, int len) throws IOException {
    Objects.checkFromIndexSize(off, len, b.length);
    if (len > 0 && channel.isOpen() && !channel.isBlocking()) {
      throw new IllegalBlockingModeException();
    }
    ByteBuffer src = ByteBuffer.wrap(b, off, len);
    while (src.hasRemaining()) {
      channel.write(src);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
