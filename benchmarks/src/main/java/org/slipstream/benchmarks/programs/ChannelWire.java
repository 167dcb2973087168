package org.slipstream.benchmarks.programs;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A wire over a socket channel: one direct buffer, filled once with a pattern and then reused. */
final class ChannelWire implements Wire {
  private final Transfer transfer;
  private final ByteBuffer buffer;

  ChannelWire(Transfer transfer, int bytes) {
    this.transfer = transfer;
    this.buffer = ByteBuffer.allocateDirect(bytes);
    for (int i = 0; i < bytes; i++) {
      buffer.put(i, (byte) i);
    }
  }

  @Override
  public void send(int bytes) throws IOException {
    transfer.write(buffer.clear().limit(bytes));
  }

  @Override
  public void receive(int bytes) throws IOException {
    buffer.clear().limit(bytes);
    while (buffer.hasRemaining()) {
      read();
    }
  }

  @Override
  public int receiveSome(int most) throws IOException {
    buffer.clear().limit(most);
    return read();
  }

  private int read() throws IOException {
    int count = transfer.read(buffer);
    if (count < 0) {
      throw new EOFException("the peer closed the connection");
    }
    return count;
  }

  @Override
  public void put(int index, byte value) {
    buffer.clear().put(index, value);
  }

  @Override
  public byte get(int index) {
    return buffer.clear().get(index);
  }

  @Override
  public void putLong(int index, long value) {
    buffer.clear().putLong(index, value);
  }

  @Override
  public long getLong(int index) {
    return buffer.clear().getLong(index);
  }

  @Override
  public void close() throws IOException {
    transfer.close();
  }
}
