package org.slipstream.it.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Random;
import java.util.concurrent.FutureTask;

/**
 * One connection to an echo that is kept full both ways for a while: random sizes out, every byte
 * of the piggybacked credit compared. The sender ends with a half-close, the receiver with the end
 * of the stream.
 */
final class PeerSoak {
  private static final int LARGEST = 200 * 1024;

  private final SocketAddress server;
  private final long seed;
  private final long deadline;
  private final PeerPattern pattern;
  private final Random random;
  private final ByteBuffer out = ByteBuffer.allocateDirect(LARGEST).limit(0);
  private final ByteBuffer in = ByteBuffer.allocate(LARGEST);
  private final Enough enough = new Enough();
  private long sent;
  private long received;

  PeerSoak(String host, int port, long seed, long millis) {
    this.server = new InetSocketAddress(host, port);
    this.seed = seed;
    this.deadline = System.nanoTime() + millis * 1_000_000;
    this.pattern = new PeerPattern(seed);
    this.random = new Random(seed);
  }

  /** Returns the bytes that went there and back. */
  long blocking() throws Exception {
    try (SocketChannel channel = SocketChannel.open(server)) {
      FutureTask<Long> reader =
          new FutureTask<>(() -> {
            Random sizes = new Random(~seed);
            try {
              while (receive(channel, sizes)) {}
              return received;
            } catch (IOException | RuntimeException e) {
              channel.close(); // the writer must not wait for ever
              throw e;
            }
          });
      Thread.ofPlatform().daemon().name("soak-reader").start(reader);
      try {
        while (refill()) {
          channel.write(out);
        }
        channel.shutdownOutput();
      } catch (ClosedChannelException e) {
        reader.get(); // knows better why
        throw e;
      }
      reader.get();
      return result();
    }
  }

  /** The same on one thread. */
  long selecting() throws IOException {
    try (SocketChannel channel = SocketChannel.open(server);
        Selector selector = Selector.open()) {
      channel.configureBlocking(false);
      SelectionKey key = channel.register(selector, SelectionKey.OP_READ | SelectionKey.OP_WRITE);
      Random sizes = new Random(~seed);
      for (; ; ) {
        selector.select();
        selector.selectedKeys().clear();
        if (key.isReadable() && !receive(channel, sizes)) {
          return result();
        }
        if (key.isWritable() && (key.interestOps() & SelectionKey.OP_WRITE) != 0) {
          if (refill()) {
            channel.write(out);
          } else {
            channel.shutdownOutput();
            key.interestOps(SelectionKey.OP_READ);
          }
        }
      }
    }
  }

  private long result() {
    if (sent != received) {
      throw new IllegalStateException(sent + " bytes were sent and " + received + " came back");
    }
    return sent;
  }

  /** Returns false if it is time to end. */
  private boolean refill() {
    if (!out.hasRemaining()) {
      if (System.nanoTime() - deadline > 0 || enough.said()) {
        return false;
      }
      out.clear().limit(size(random));
      pattern.fill(out, sent);
      sent += out.position();
      out.flip();
    }
    return true;
  }

  /** Mostly small, sometimes as large as a ring. */
  private static int size(Random random) {
    return 1 + random.nextInt(1 << (3 + random.nextInt(15)));
  }

  private boolean receive(SocketChannel channel, Random sizes) throws IOException {
    int n = channel.read(in.clear().limit(size(sizes)));
    if (n > 0) {
      pattern.check(in.array(), n, received);
      received += n;
    }
    return n >= 0;
  }
}
