package org.slipstream.it.process;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * Two event loops that each write a lot before they read: more than a ring holds and less than the
 * kernel buffers, so that over TCP it ends, and both directions overflow at once.
 */
final class PeerDuel {
  private static final int CHUNK = 64 * 1024;

  private PeerDuel() {}

  /** One end; the other one has the seeds the other way round. */
  static void fight(SocketChannel channel, int rounds, int bytes, long outSeed, long inSeed)
      throws IOException {
    PeerPattern out = new PeerPattern(outSeed);
    PeerPattern in = new PeerPattern(inSeed);
    channel.configureBlocking(false);
    try (Selector selector = Selector.open()) {
      SelectionKey key = channel.register(selector, 0);
      for (long round = 0; round < rounds; round++) {
        key.interestOps(SelectionKey.OP_WRITE);
        write(channel, selector, out, round * bytes, bytes);
        key.interestOps(SelectionKey.OP_READ);
        read(channel, selector, in, round * bytes, bytes);
      }
    }
    channel.configureBlocking(true);
  }

  private static void write(
      SocketChannel channel, Selector selector, PeerPattern pattern, long from, int bytes)
      throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK).limit(0);
    long at = from;
    while (at < from + bytes || buffer.hasRemaining()) {
      if (!buffer.hasRemaining()) {
        buffer.clear().limit((int) Math.min(CHUNK, from + bytes - at));
        pattern.fill(buffer, at);
        at += buffer.position();
        buffer.flip();
      }
      if (channel.write(buffer) == 0) {
        selector.select();
        selector.selectedKeys().clear();
      }
    }
  }

  private static void read(
      SocketChannel channel, Selector selector, PeerPattern pattern, long from, int bytes)
      throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(CHUNK);
    long at = from;
    while (at < from + bytes) {
      int n = channel.read(buffer.clear().limit((int) Math.min(CHUNK, from + bytes - at)));
      if (n < 0) {
        throw new EOFException("end after " + at + " bytes");
      }
      if (n == 0) {
        selector.select();
        selector.selectedKeys().clear();
      }
      pattern.check(buffer.array(), n, at);
      at += n;
    }
  }
}
