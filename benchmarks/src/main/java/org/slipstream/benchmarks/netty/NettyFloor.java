package org.slipstream.benchmarks.netty;

import io.netty.channel.EventLoopGroup;
import java.util.Locale;

/**
 * What Netty itself needs for a message that is sent, whatever the transport: the sender of the
 * stream benchmark over a {@link NullChannel}. No transport can be faster.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the end of the group is the program's
public final class NettyFloor {
  private static final int MESSAGES = 200_000;
  private static final int WARMUPS = 20;
  private static final int ROUNDS = 10;

  private NettyFloor() {}

  /**
   * Prints a line for each round.
   *
   * @param args bytes of a message (1024); messages of a flush, 0 for as many as the channel takes
   *     (1)
   */
  public static void main(String[] args) throws InterruptedException {
    int size = args.length > 0 ? Integer.parseInt(args[0]) : 1024;
    int flush = args.length > 1 ? Integer.parseInt(args[1]) : 1;
    EventLoopGroup group = NettyTransport.NIO.newGroup();
    NullChannel channel = new NullChannel();
    NettySender sender = new NettySender(flush);
    group.register(channel).sync();
    channel.pipeline().addLast(sender);
    for (int round = -WARMUPS; round < ROUNDS; round++) {
      channel.eventLoop().submit(() -> channel.expect((long) MESSAGES * size)).sync();
      long start = System.nanoTime();
      sender.burst(size, MESSAGES).join();
      double nanos = (double) (System.nanoTime() - start) / MESSAGES;
      if (round >= 0) {
        System.out.printf(
            Locale.ROOT,
            "%d bytes, flush %d: %.1f ns/message, %.0f MB/s%n",
            size,
            flush,
            nanos,
            size * 1000 / nanos);
      }
    }
    group.shutdownGracefully();
  }
}
