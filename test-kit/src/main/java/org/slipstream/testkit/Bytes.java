package org.slipstream.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.locks.LockSupport;

/**
 * Moving bytes completely, in blocking and in non-blocking mode alike: a channel that has nothing
 * to say is asked again until the deadline.
 */
public final class Bytes {

  private static final long PAUSE_NANOS = 50_000;
  private static final int CHUNK = 16 * 1024;
  private static final int FULL_AFTER_PAUSES = 30;
  private static final long FULL_PAUSE_NANOS = 10_000_000;

  private Bytes() {}

  /** The characters as bytes, ready to be written. */
  public static ByteBuffer ascii(String text) {
    return ByteBuffer.wrap(text.getBytes(US_ASCII));
  }

  /** Writes everything that remains in the buffer. */
  public static void write(WritableByteChannel channel, ByteBuffer source) throws IOException {
    long deadline = deadline();
    while (source.hasRemaining()) {
      if (channel.write(source) == 0) {
        pause(deadline, "write", source);
      }
    }
  }

  /** Writes all the characters. */
  public static void write(WritableByteChannel channel, String text) throws IOException {
    write(channel, ascii(text));
  }

  /** Fills what remains of the buffer; fails at the end of the stream. */
  public static void read(ReadableByteChannel channel, ByteBuffer target) throws IOException {
    long deadline = deadline();
    while (target.hasRemaining()) {
      int n = channel.read(target);
      if (n < 0) {
        throw new EOFException("The stream ended, " + target.remaining() + " bytes too early");
      }
      if (n == 0) {
        pause(deadline, "read", target);
      }
    }
  }

  /** Reads exactly so many characters. */
  public static String read(ReadableByteChannel channel, int length) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(length);
    read(channel, target);
    return new String(target.array(), US_ASCII);
  }

  /** Reads to the end of the stream. */
  public static byte[] readToEnd(ReadableByteChannel channel) throws IOException {
    long deadline = deadline();
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
    for (int n = channel.read(chunk); n >= 0; n = channel.read(chunk)) {
      if (n == 0) {
        pause(deadline, "read to the end", chunk);
      }
      all.write(chunk.array(), 0, chunk.position());
      chunk.clear();
    }
    return all.toByteArray();
  }

  /** Reads one byte, or -1 at the end of the stream; for blocking channels. */
  public static int readOne(ReadableByteChannel channel) throws IOException {
    ByteBuffer one = ByteBuffer.allocate(1);
    int n = channel.read(one);
    return n == 1 ? one.get(0) & 0xff : n;
  }

  /** Sends text one way and fails unless it arrives. */
  public static void exchange(SocketChannel from, SocketChannel to, String text)
      throws IOException {
    write(from, text);
    String received = read(to, text.length());
    if (!received.equals(text)) {
      throw new AssertionError("Received <" + received + "> instead of <" + text + ">");
    }
  }

  /** Writes so many bytes of a tape, in pieces. */
  public static void writeTape(WritableByteChannel channel, Tape tape, long length)
      throws IOException {
    ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
    for (long left = length; left > 0; left -= chunk.limit()) {
      chunk.clear().limit((int) Math.min(left, CHUNK));
      tape.fill(chunk);
      write(channel, chunk.flip());
    }
  }

  /** Reads so many bytes, in pieces, and compares them with a tape. */
  public static void readTape(ReadableByteChannel channel, Tape tape, long length)
      throws IOException {
    ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
    for (long left = length; left > 0; left -= chunk.limit()) {
      chunk.clear().limit((int) Math.min(left, CHUNK));
      read(channel, chunk);
      tape.verify(chunk.flip());
    }
  }

  /**
   * Writes bytes of a tape in non-blocking mode until the connection takes no more for a while, and
   * leaves the channel in the mode in which it was.
   *
   * @return how many bytes the connection took
   */
  public static long fillUp(SocketChannel channel, Tape tape) throws IOException {
    boolean blocking = channel.isBlocking();
    channel.configureBlocking(false);
    long total = 0;
    ByteBuffer chunk = tape.next(CHUNK);
    for (int pauses = 0; pauses < FULL_AFTER_PAUSES; ) {
      int n = channel.write(chunk);
      total += n;
      if (!chunk.hasRemaining()) {
        chunk = tape.next(CHUNK);
      }
      if (n == 0) {
        pauses++;
        LockSupport.parkNanos(FULL_PAUSE_NANOS);
      } else {
        pauses = 0;
      }
    }
    channel.configureBlocking(blocking);
    return total;
  }

  private static long deadline() {
    return System.nanoTime() + Background.DEADLINE.toNanos();
  }

  private static void pause(long deadline, String verb, ByteBuffer buffer) throws IOException {
    if (System.nanoTime() - deadline > 0) {
      throw new IOException("No progress before the deadline: could not " + verb + ", " + buffer);
    }
    LockSupport.parkNanos(PAUSE_NANOS);
  }
}
