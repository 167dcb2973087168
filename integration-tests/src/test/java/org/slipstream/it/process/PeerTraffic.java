package org.slipstream.it.process;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** What a child sends and receives on one blocking channel. */
final class PeerTraffic {
  private static final int CHUNK = 64 * 1024;
  private static final int ROUNDS_AT_ONCE = 20;

  private PeerTraffic() {}

  static void write(SocketChannel channel, long count, long seed) throws IOException {
    PeerPattern pattern = new PeerPattern(seed);
    ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK);
    for (long at = 0; at < count; ) {
      buffer.clear().limit((int) Math.min(CHUNK, count - at));
      pattern.fill(buffer, at);
      at += buffer.position();
      buffer.flip();
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    }
  }

  /**
   * Writes one direct buffer again and again, until it is told that it is enough; returns the
   * bytes.
   */
  static long pour(SocketChannel channel, int piece, long seed) throws IOException {
    Enough enough = new Enough();
    PeerPattern pattern = new PeerPattern(seed);
    ByteBuffer buffer = ByteBuffer.allocateDirect(piece);
    long at = 0;
    while (!enough.said()) {
      pattern.fill(buffer.clear(), at);
      at += piece;
      buffer.flip();
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    }
    return at;
  }

  static void read(SocketChannel channel, long count, long seed) throws IOException {
    PeerPattern pattern = new PeerPattern(seed);
    ByteBuffer buffer = ByteBuffer.allocate(CHUNK);
    for (long at = 0; at < count; ) {
      buffer.clear().limit((int) Math.min(CHUNK, count - at));
      int n = channel.read(buffer);
      if (n < 0) {
        throw new EOFException("end after " + at + " of " + count + " bytes");
      }
      pattern.check(buffer.array(), n, at);
      at += n;
    }
  }

  /** Reads until it can not any more, and says how that came: {@code eof N} or {@code reset N}. */
  static String readToEnd(SocketChannel channel, long seed) {
    PeerPattern pattern = new PeerPattern(seed);
    ByteBuffer buffer = ByteBuffer.allocate(CHUNK);
    long at = 0;
    for (; ; ) {
      buffer.clear();
      int n;
      try {
        n = channel.read(buffer);
      } catch (IOException e) {
        return "reset " + at + " " + e;
      }
      if (n < 0) {
        return "eof " + at;
      }
      pattern.check(buffer.array(), n, at);
      at += n;
    }
  }

  /** Writes small pieces until that fails: {@code broken}. */
  static String writeToEnd(SocketChannel channel, long seed) {
    PeerPattern pattern = new PeerPattern(seed);
    ByteBuffer buffer = ByteBuffer.allocate(1000);
    long at = 0;
    try {
      for (; ; ) {
        pattern.fill(buffer.clear(), at);
        buffer.flip();
        while (buffer.hasRemaining()) {
          at += channel.write(buffer);
        }
      }
    } catch (IOException e) {
      return "broken " + at + " " + e;
    }
  }

  /**
   * Connections that end in the milliseconds in which streams switch: a few small writes at random
   * distances, one of them so long that the stream may be offered meanwhile, then close, without a
   * word from the peer. Returns the bytes that were sent.
   */
  static long brief(int port, int connections, long seed) throws IOException {
    Random random = new Random(seed);
    int mostNanos = 1_500_000;
    int offeredNanos = 20_000_000;
    long sent = 0;
    for (int i = 0; i < connections; i++) {
      try (SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port))) {
        int writes = 2 + random.nextInt(6);
        for (int j = 0; j < writes; j++) {
          ByteBuffer piece = ByteBuffer.allocate(1 + random.nextInt(random.nextInt(20_000) + 1));
          sent += piece.remaining();
          while (piece.hasRemaining()) {
            channel.write(piece);
          }
          // The moment is the random variable. It takes two writes to be eligible.
          LockSupport.parkNanos(random.nextInt(j == 1 ? offeredNanos : mostNanos));
        }
      }
    }
    return sent;
  }

  /**
   * Connections to a server that echoes, which end behind two hundred exchanges of a byte without a
   * pause: some milliseconds.
   */
  static void busy(int port, int connections) throws IOException {
    ByteBuffer one = ByteBuffer.allocateDirect(1);
    for (int i = 0; i < connections; i++) {
      try (SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port))) {
        for (int j = 0; j < 200; j++) {
          byte sent = (byte) (i + j);
          channel.write(one.clear().put(0, sent));
          if (channel.read(one.clear()) != 1 || one.get(0) != sent) {
            throw new IOException("connection " + i + ", exchange " + j);
          }
        }
      }
    }
  }

  /** As {@link #exchange}, until it is told that it is enough; returns the rounds. */
  static int load(SocketChannel channel, int largest, long seed) throws IOException {
    Enough enough = new Enough();
    int rounds = 0;
    while (!enough.said()) {
      exchange(channel, ROUNDS_AT_ONCE, largest, seed + rounds);
      rounds += ROUNDS_AT_ONCE;
    }
    return rounds;
  }

  /**
   * As {@link #exchange}, until it can not any more, and says how that came: {@code eof ROUNDS} or
   * {@code reset ROUNDS …} for a read, {@code broken ROUNDS …} for a write.
   */
  static String exchangeToEnd(SocketChannel channel, int largest, long seed) {
    Random random = new Random(seed);
    ByteBuffer buffer = ByteBuffer.allocateDirect(largest);
    for (int rounds = 0; ; rounds++) {
      long pattern = random.nextLong();
      buffer.clear().limit(1 + random.nextInt(largest));
      new PeerPattern(pattern).fill(buffer, 0);
      buffer.flip();
      int size = buffer.limit();
      try {
        while (buffer.hasRemaining()) {
          channel.write(buffer);
        }
      } catch (IOException e) {
        return "broken " + rounds + " " + e;
      }
      try {
        read(channel, size, pattern);
      } catch (EOFException e) {
        return "eof " + rounds;
      } catch (IOException e) {
        return "reset " + rounds + " " + e;
      }
    }
  }

  /** The client of an echo: random sizes, each compared when it comes back. */
  static void exchange(SocketChannel channel, int rounds, int largest, long seed)
      throws IOException {
    Random random = new Random(seed);
    ByteBuffer buffer = ByteBuffer.allocateDirect(largest);
    for (int i = 0; i < rounds; i++) {
      long pattern = random.nextLong();
      buffer.clear().limit(1 + random.nextInt(largest));
      new PeerPattern(pattern).fill(buffer, 0);
      buffer.flip();
      int size = buffer.limit();
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      read(channel, size, pattern);
    }
  }
}
