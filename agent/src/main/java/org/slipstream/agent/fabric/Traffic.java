package org.slipstream.agent.fabric;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * What moves on a connection that has joined a check. The client gives a command of eight bytes,
 * the operation and a size; then messages of that size go until one is marked as the last. A server
 * that is told to echo sends each back; one that is told to take answers the last one with how many
 * bytes came, and in order.
 *
 * <pre>
 *   command:  int operation, int size
 *   message:  int 1 if it is the last, int number, bytes
 *   answer:   long bytes
 * </pre>
 */
final class Traffic {
  static final int ECHO = 1;
  static final int TAKE = 2;

  static final int MIN_SIZE = 8;
  static final int MAX_SIZE = 64 * 1024;
  static final int COMMAND_BYTES = 8;
  static final int ANSWER_BYTES = 8;

  private static final int LAST = 1;

  private final SocketChannel channel;
  private final ByteBuffer out = ByteBuffer.allocateDirect(MAX_SIZE);
  private final ByteBuffer in = ByteBuffer.allocateDirect(MAX_SIZE);

  Traffic(SocketChannel channel) {
    this.channel = channel;
  }

  SocketChannel channel() {
    return channel;
  }

  // -- client ----------------------------------------------------------------------------------

  /**
   * Round trips for some time, one at least.
   *
   * @param into each is added
   */
  void echo(int size, long nanos, Latencies into) throws IOException {
    command(ECHO, size);
    long end = System.nanoTime() + nanos;
    boolean last = false;
    for (int number = 0; !last; number++) {
      last = System.nanoTime() - end >= 0;
      message(size, number, last);
      long start = System.nanoTime();
      writeOut();
      readFully(size);
      into.add(System.nanoTime() - start);
      if (in.getInt(Integer.BYTES) != number) {
        throw new IOException("other bytes came back than were sent");
      }
    }
  }

  /**
   * Sends for some time.
   *
   * @return bytes per second, the receiver's answer included
   */
  double stream(int size, long nanos) throws IOException {
    command(TAKE, size);
    long start = System.nanoTime();
    long sent = 0;
    boolean last = false;
    for (int number = 0; !last; number++) {
      last = System.nanoTime() - start >= nanos;
      message(size, number, last);
      writeOut();
      sent += size;
    }
    readFully(ANSWER_BYTES);
    double seconds = (System.nanoTime() - start) / 1e9;
    if (in.getLong(0) != sent) {
      throw new IOException("of " + sent + " bytes, " + in.getLong(0) + " arrived in order");
    }
    return sent / seconds;
  }

  private void command(int operation, int size) throws IOException {
    out.clear().putInt(operation).putInt(size).flip();
    writeOut();
  }

  private void message(int size, int number, boolean last) {
    out.clear().limit(size);
    out.putInt(0, last ? LAST : 0).putInt(Integer.BYTES, number);
  }

  // -- server ----------------------------------------------------------------------------------

  /**
   * Does what the client says until it closes the connection.
   *
   * @throws IOException the command is nonsense, or the connection broke
   */
  void serve() throws IOException {
    while (readFullyOrEnd(COMMAND_BYTES)) {
      int operation = in.getInt(0);
      int size = in.getInt(Integer.BYTES);
      if (size < MIN_SIZE || size > MAX_SIZE) {
        throw new IOException("messages of " + size + " bytes are not served");
      }
      switch (operation) {
        case ECHO -> sendBack(size);
        case TAKE -> take(size);
        default -> throw new IOException("there is no operation " + operation);
      }
    }
  }

  private void sendBack(int size) throws IOException {
    boolean last = false;
    while (!last) {
      readFully(size);
      last = in.getInt(0) == LAST;
      in.flip();
      while (in.hasRemaining()) {
        channel.write(in);
      }
    }
  }

  private void take(int size) throws IOException {
    long taken = 0;
    boolean last = false;
    for (int number = 0; !last; number++) {
      readFully(size);
      last = in.getInt(0) == LAST;
      taken += in.getInt(Integer.BYTES) == number ? size : 0;
    }
    out.clear().putLong(taken).flip();
    writeOut();
  }

  // -- both ------------------------------------------------------------------------------------

  private void writeOut() throws IOException {
    while (out.hasRemaining()) {
      channel.write(out);
    }
  }

  private void readFully(int bytes) throws IOException {
    if (!readFullyOrEnd(bytes)) {
      throw new EOFException("the other end closed the connection");
    }
  }

  private boolean readFullyOrEnd(int bytes) throws IOException {
    in.clear().limit(bytes);
    while (in.hasRemaining()) {
      if (channel.read(in) < 0) {
        if (in.position() > 0) {
          throw new EOFException("the other end closed the connection within a message");
        }
        return false;
      }
    }
    return true;
  }
}
