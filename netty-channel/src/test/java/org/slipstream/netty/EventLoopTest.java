package org.slipstream.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import com.sun.management.ThreadMXBean;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.Patience;

/** What an event loop costs, and what goes over the ring besides buffers. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the connection
class EventLoopTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final int SIZE = 64;

  /** Sends a message when the last one has come back. */
  private static final class Asker extends ChannelInboundHandlerAdapter {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private int left;

    Asker(int count) {
      left = count;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      send(context);
    }

    private static void send(ChannelHandlerContext context) {
      context.writeAndFlush(
          context.alloc().directBuffer(SIZE, SIZE).writeZero(SIZE), context.voidPromise());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ((ByteBuf) message).release();
      if (--left == 0) {
        context.pipeline().remove(this);
        done.complete(null);
      } else {
        send(context);
      }
    }
  }

  private static void exchange(LoopPair pair, int count) {
    Asker asker = new Asker(count);
    pair.client.pipeline().addLast(asker);
    asker.done.orTimeout(60, TimeUnit.SECONDS).join();
  }

  private static long threadId(EventLoopGroup group) throws Exception {
    return group.submit(() -> Thread.currentThread().threadId()).get();
  }

  /** Both ends together, in steady state: the least of some rounds, or the first below a limit. */
  private static double bytesForEachExchange(LoopPair pair, double limit) throws Exception {
    LoopPair.add(pair.server, new LoopPair.Echo());
    long[] loops = {threadId(pair.clientLoop), threadId(pair.serverLoop)};
    int exchanges = 20_000;
    double least = Double.MAX_VALUE;
    for (int round = 0; round < 5 && least >= limit; round++) {
      long[] before = THREADS.getThreadAllocatedBytes(loops);
      exchange(pair, exchanges);
      long[] after = THREADS.getThreadAllocatedBytes(loops);
      double each = (double) (after[0] - before[0] + after[1] - before[1]) / exchanges;
      least = Math.min(least, each);
    }
    return least;
  }

  @Test
  void anExchangeAllocatesNothingBeyondNettysOwn() throws Exception {
    double stock;
    try (LoopPair pair = LoopPair.stock()) {
      stock = bytesForEachExchange(pair, 0);
    }
    // The smallest object has 16 bytes, and an exchange has two messages.
    double limit = stock + 16;
    try (LoopPair pair = LoopPair.onRing()) {
      double ours = bytesForEachExchange(pair, limit);
      System.out.printf(
          "bytes allocated for each exchange: Netty NIO %.1f, ours %.1f%n", stock, ours);
      assertThat(ours).isLessThan(limit);
    }
  }

  @Test
  void anIdleLoopSleeps() throws Exception {
    try (LoopPair pair = LoopPair.onRing()) {
      LoopPair.add(pair.server, new LoopPair.Echo());
      exchange(pair, 100);
      long[] loops = {threadId(pair.clientLoop), threadId(pair.serverLoop)};
      await()
          .pollInterval(Duration.ofMillis(500))
          .untilAsserted(() -> {
            long before = THREADS.getThreadCpuTime(loops[0]) + THREADS.getThreadCpuTime(loops[1]);
            TimeUnit.MILLISECONDS.sleep(500);
            long after = THREADS.getThreadCpuTime(loops[0]) + THREADS.getThreadCpuTime(loops[1]);
            assertThat(after - before).as("ns of processor time").isLessThan(10_000_000);
          });
      exchange(pair, 100);
    }
  }

  @Test
  void aFileGoesIntoTheRing(@TempDir Path directory) throws Exception {
    byte[] content = new byte[3_000_000];
    new Random(1).nextBytes(content);
    Path file = Files.write(directory.resolve("file"), content);
    try (LoopPair pair = LoopPair.onRing()) {
      // A ring that stays full overflows, and the kernel takes much at once: then it goes again.
      long carried;
      do {
        long before = LoopPair.status(pair.client).ringBytesOut();
        send(pair, file, content);
        carried = LoopPair.status(pair.client).ringBytesOut() - before;
      } while (carried <= content.length / 2);
    }
  }

  private static void send(LoopPair pair, Path file, byte[] content) throws Exception {
    Collector collector = new Collector(content.length - 10);
    LoopPair.add(pair.server, collector);
    pair.client.write(pair.client.alloc().heapBuffer(10).writeZero(10));
    DefaultFileRegion region = new DefaultFileRegion(file.toFile(), 20, content.length - 20);
    pair.client.writeAndFlush(region).sync();
    byte[] got = collector.done.get(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS);
    assertThat(java.util.Arrays.copyOfRange(got, 10, got.length))
        .isEqualTo(java.util.Arrays.copyOfRange(content, 20, content.length));
    assertThat(region.refCnt()).isZero();
    assertThat(region.transferred()).isEqualTo(content.length - 20);
    pair.server.pipeline().remove(collector);
  }

  @Test
  void aFileThatIsTooShortFailsTheWrite(@TempDir Path directory) throws Exception {
    Path file = Files.write(directory.resolve("file"), new byte[100]);
    try (LoopPair pair = LoopPair.onRing()) {
      assertThat(
              pair.client
                  .writeAndFlush(new DefaultFileRegion(file.toFile(), 0, 1000))
                  .await()
                  .cause())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("smaller than requested");
    }
  }

  /** Collects so many bytes. */
  private static final class Collector extends ChannelInboundHandlerAdapter {
    private final CompletableFuture<byte[]> done = new CompletableFuture<>();
    private final byte[] bytes;
    private int at;

    Collector(int size) {
      bytes = new byte[size];
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf buf = (ByteBuf) message;
      int n = buf.readableBytes();
      buf.readBytes(bytes, at, n).release();
      at += n;
      if (at == bytes.length) {
        done.complete(bytes);
      }
    }
  }

  @Test
  void datagramsShareTheLoop() throws Exception {
    try (LoopPair pair = LoopPair.onRing()) {
      var channel =
          new Bootstrap()
              .group(pair.clientLoop)
              .channel(NioDatagramChannel.class)
              .handler(new ChannelInboundHandlerAdapter())
              .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .sync()
              .channel();
      assertThat(channel.isActive()).isTrue();
      channel.close().sync();
    }
  }

  @Test
  void theTransportIsAvailable() {
    assertThat(Slipstream.unavailabilityCause()).isNull();
    assertThat(Slipstream.isAvailable()).isTrue();
  }
}
