package org.slipstream.provider.nio;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * The output stream of a {@link SocketAdaptor}: writes everything.
 *
 * <p>A supplier for the JDK's own input streams of files: they know how to send a file to a channel
 * (by {@code sendfile}), but only if they know the channel behind a stream. Where the agent is on,
 * they ask this one.
 */
final class ChannelOutput extends OutputStream implements Supplier<OutputStream> {
  private final SocketChannel channel;

  ChannelOutput(SocketChannel channel) {
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

  /** A stream of the JDK's own over the channel, for one transfer. */
  @Override
  public OutputStream get() {
    return Channels.newOutputStream(channel);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
