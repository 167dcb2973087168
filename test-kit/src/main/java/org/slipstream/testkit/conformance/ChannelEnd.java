package org.slipstream.testkit.conformance;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.shape.Shape;

/** A channel in blocking mode. */
record ChannelEnd(SocketChannel channel) implements Shape.End {

  static Shape.Connection connection(Pair pair) {
    return new Shape.Connection(new ChannelEnd(pair.client()), new ChannelEnd(pair.server()));
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    return channel.read(target);
  }

  @Override
  public void write(ByteBuffer source) throws IOException {
    Bytes.write(channel, source);
  }

  @Override
  public void shutdownInput() throws IOException {
    channel.shutdownInput();
  }

  @Override
  public void shutdownOutput() throws IOException {
    channel.shutdownOutput();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  @Override
  public void reset() throws IOException {
    Pair.reset(channel);
  }

  @Override
  public boolean isOpen() {
    return channel.isOpen();
  }
}
