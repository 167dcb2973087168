package org.slipstream.benchmarks.programs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Sleeps in the channel's own read and write. */
record BlockingTransfer(SocketChannel channel) implements Transfer {
  @Override
  public int read(ByteBuffer into) throws IOException {
    return channel.read(into);
  }

  @Override
  public void write(ByteBuffer from) throws IOException {
    while (from.hasRemaining()) {
      channel.write(from);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
