package org.slipstream.benchmarks.programs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Asks a non-blocking channel until it has something; the thread keeps its core. */
record BusyTransfer(SocketChannel channel) implements Transfer {
  @Override
  public int read(ByteBuffer into) throws IOException {
    int count = channel.read(into);
    while (count == 0) {
      Thread.onSpinWait();
      count = channel.read(into);
    }
    return count;
  }

  @Override
  public void write(ByteBuffer from) throws IOException {
    while (from.hasRemaining()) {
      if (channel.write(from) == 0) {
        Thread.onSpinWait();
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
