package org.slipstream.benchmarks.programs;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;

/** A wire over the streams of a {@link Socket}: one array, used again and again. */
final class SocketWire implements Wire {
  /** The first words of the array serve as headers, however small the messages are. */
  private static final int LEAST_BUFFER = 64;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private final byte[] message;
  private final ByteBuffer words;

  SocketWire(Socket socket, int bytes) throws IOException {
    this.socket = socket;
    this.message = new byte[Math.max(bytes, LEAST_BUFFER)];
    this.words = ByteBuffer.wrap(message);
    for (int i = 0; i < message.length; i++) {
      message[i] = (byte) i;
    }
    socket.setTcpNoDelay(true);
    this.in = socket.getInputStream();
    this.out = socket.getOutputStream();
  }

  static Wire connect(Arguments arguments) throws IOException {
    return new SocketWire(new Socket(Host.address(), arguments.port()), arguments.bytes());
  }

  @Override
  public void send(int bytes) throws IOException {
    out.write(message, 0, bytes);
  }

  @Override
  public void receive(int bytes) throws IOException {
    for (int done = 0; done < bytes; ) {
      done += read(done, bytes - done);
    }
  }

  @Override
  public int receiveSome(int most) throws IOException {
    return read(0, most);
  }

  private int read(int offset, int most) throws IOException {
    int count = in.read(message, offset, most);
    if (count < 0) {
      throw new EOFException("the peer closed the connection");
    }
    return count;
  }

  @Override
  public void put(int index, byte value) {
    message[index] = value;
  }

  @Override
  public byte get(int index) {
    return message[index];
  }

  @Override
  public void putLong(int index, long value) {
    words.putLong(index, value);
  }

  @Override
  public long getLong(int index) {
    return words.getLong(index);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
