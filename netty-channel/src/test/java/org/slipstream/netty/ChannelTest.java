package org.slipstream.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import com.sun.management.ThreadMXBean;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.testkit.FullListener;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.StockCarrier;

/**
 * What a program sees of a channel, by the letter of Netty NIO: each test runs over that first,
 * then over our channel without and with the ring.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the connection
class ChannelTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final int LARGE = 4_000_000;

  /** Half of the storage that a ring has at first: so much is free while it is empty. */
  private static final int SURE = 2_000;

  private static byte[] content(int size) {
    byte[] content = new byte[size];
    new Random(size).nextBytes(content);
    return content;
  }

  private static Recorder record(Channel channel) {
    Recorder recorder = new Recorder();
    LoopPair.add(channel, recorder);
    return recorder;
  }

  /**
   * The fast path must have carried it: a test that silently ran on TCP proves nothing. More than a
   * ring is sure to take may overflow, where the reader is kept off its core for a moment.
   */
  private static void assertCarried(Row row, LoopPair pair, long bytes) {
    if (row == Row.RING) {
      assertThat(LoopPair.status(pair.client).ringBytesOut())
          .isGreaterThanOrEqualTo(Math.min(bytes, SURE));
    } else if (row == Row.PLAIN) {
      assertThat(LoopPair.status(pair.client).ringBytesOut()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsReadWithoutAutoReadUntilItIsAskedFor(Row row) throws Exception {
    try (LoopPair pair = row.open()) {
      Recorder server = record(pair.server);
      pair.server.config().setAutoRead(false);
      pair.server.eventLoop().submit(() -> {}).sync();
      byte[] content = content(LARGE); // more than one round of reads takes
      pair.client.writeAndFlush(Unpooled.wrappedBuffer(content));
      letTheLoopGoRound(pair.server);
      assertThat(server.count()).isZero();

      pair.server.read();
      await().until(() -> server.count() > 0);
      letTheLoopGoRound(pair.server);
      int once = server.count();
      letTheLoopGoRound(pair.server);
      assertThat(server.count()).isEqualTo(once).isLessThan(LARGE);

      pair.server.config().setAutoRead(true);
      await().atMost(60, TimeUnit.SECONDS).until(() -> server.count() == LARGE);
      assertThat(Arrays.equals(server.bytes(), content)).isTrue();
      assertCarried(row, pair, LARGE);
    }
  }

  /** As Vert.x pauses a connection: no message may come after that, and no end of input. */
  @ParameterizedTest
  @EnumSource
  void autoReadSwitchedOffInsideAReadEndsTheReads(Row row) throws Exception {
    try (LoopPair pair = row.open()) {
      Recorder server = new Recorder();
      LoopPair.add(
          pair.server,
          new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
              context.channel().config().setAutoRead(false);
              context.fireChannelRead(message);
            }
          });
      LoopPair.add(pair.server, server);
      byte[] content = content(10_000); // more than a buffer takes that was made for little
      pair.client.writeAndFlush(Unpooled.wrappedBuffer(content)).sync();
      pair.client.shutdownOutput().sync();
      int reads = 1;
      await().until(() -> server.reads.get() > 0);
      while (server.count() < content.length) {
        letTheLoopGoRound(pair.server);
        assertThat(server.reads).hasValue(reads);
        int next = ++reads;
        pair.server.read();
        await().until(() -> server.reads.get() >= next);
      }
      letTheLoopGoRound(pair.server);
      assertThat(reads).isGreaterThan(1);
      assertThat(server.reads).hasValue(reads);
      assertThat(server.inactive).isFalse();
      pair.server.read();
      await().until(() -> server.inactive);
      assertThat(server.bytes()).isEqualTo(content);
      assertThat(server.failure).isNull();
      assertCarried(row, pair, content.length);
    }
  }

  /** Long enough for a loop that would do something wrong to do it. */
  private static void letTheLoopGoRound(Channel channel) throws InterruptedException {
    channel.eventLoop().schedule(() -> {}, 20, TimeUnit.MILLISECONDS).sync();
  }

  @ParameterizedTest
  @EnumSource
  void aSlowReaderMakesTheWriterUnwritable(Row row) throws Exception {
    try (LoopPair pair = row.open()) {
      Recorder server = record(pair.server);
      Recorder client = record(pair.client);
      pair.client.config().setWriteBufferWaterMark(new WriteBufferWaterMark(10_000, 50_000));
      pair.server.config().setAutoRead(false);
      pair.server.eventLoop().submit(() -> {}).sync();
      byte[] piece = content(10_000);
      int written = 0;
      // A ring that stays full overflows, and the writer can write again: until the kernel is
      // full.
      boolean overflowed;
      do {
        while (pair.client.isWritable() && written < 500_000_000) {
          pair.client.writeAndFlush(Unpooled.wrappedBuffer(piece));
          pair.client.eventLoop().submit(() -> {}).sync();
          written += piece.length;
        }
        overflowed = row != Row.RING || !LoopPair.status(pair.client).outOnRing();
        letTheLoopGoRound(pair.client);
      } while (!overflowed || (pair.client.isWritable() && written < 500_000_000));
      assertThat(pair.client.isWritable()).isFalse();
      assertThat(pair.client.bytesBeforeWritable()).isPositive();
      assertTakesTurns(client.writability, false);

      pair.server.config().setAutoRead(true);
      int all = written;
      await().atMost(60, TimeUnit.SECONDS).until(() -> server.count() == all);
      await().untilAsserted(() -> assertTakesTurns(client.writability, true));
      byte[] got = server.bytes();
      for (int i = 0; i < all; i += piece.length) {
        assertThat(Arrays.equals(got, i, i + piece.length, piece, 0, piece.length)).isTrue();
      }
      assertCarried(row, pair, LARGE);
    }
  }

  /** False, true, and so on. */
  private static void assertTakesTurns(List<Boolean> writability, boolean last) {
    assertThat(writability).isNotEmpty().endsWith(last);
    for (int i = 0; i < writability.size(); i++) {
      assertThat(writability.get(i)).as("change %d", i).isEqualTo(i % 2 == 1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void buffersOfEveryKindArriveInOrder(Row row) throws Exception {
    try (LoopPair pair = row.open()) {
      Recorder server = record(pair.server);
      byte[] content = content(LARGE);
      int at = 0;
      int step = 1;
      while (at < LARGE) {
        int end = Math.min(LARGE, at + step);
        int middle = (at + end) / 2;
        ByteBuf heap = Unpooled.copiedBuffer(content, at, middle - at);
        ByteBuf direct = Unpooled.directBuffer().writeBytes(content, middle, end - middle);
        switch (step % 3) {
          case 0 -> pair.client.write(Unpooled.wrappedBuffer(heap, direct));
          case 1 -> {
            pair.client.write(heap);
            pair.client.write(direct.asReadOnly());
          }
          default ->
              pair.client.write(
                  pair.client.alloc().compositeBuffer().addComponents(true, heap, direct));
        }
        at = end;
        step = step * 2 % 70_001;
      }
      pair.client.flush();
      await().atMost(60, TimeUnit.SECONDS).until(() -> server.count() == LARGE);
      assertThat(Arrays.equals(server.bytes(), content)).isTrue();
      assertCarried(row, pair, LARGE);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatArrivesIsTheBufferThatWasAllocated(Row row) throws Exception {
    try (LoopPair pair = row.open()) {
      CountingAllocator allocator = new CountingAllocator();
      pair.server.config().setAllocator(allocator);
      CompletableFuture<Boolean> same = new CompletableFuture<>();
      LoopPair.add(
          pair.server,
          new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
              same.complete(allocator.gave((ByteBuf) message));
              ((ByteBuf) message).release();
            }
          });
      pair.client.writeAndFlush(Unpooled.wrappedBuffer(content(1000))).sync();
      assertThat(same.get(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertCarried(row, pair, 1000);
    }
  }

  @ParameterizedTest
  @EnumSource
  void halfClosureIsAnEventAndTheOtherHalfLives(Row row) throws Exception {
    try (LoopPair pair = row.open()) {
      Recorder server = record(pair.server);
      Recorder client = record(pair.client);
      pair.server.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
      pair.client.writeAndFlush(Unpooled.wrappedBuffer(content(500)));
      pair.client.shutdownOutput().sync();
      await().until(() -> server.events.contains(ChannelInputShutdownEvent.INSTANCE));
      await().until(() -> server.events.contains(ChannelInputShutdownReadComplete.INSTANCE));
      assertThat(server.events)
          .containsExactly(
              ChannelInputShutdownEvent.INSTANCE, ChannelInputShutdownReadComplete.INSTANCE);
      assertThat(server.bytes()).isEqualTo(content(500));
      assertThat(pair.server.isInputShutdown()).isTrue();
      assertThat(pair.server.isOutputShutdown()).isFalse();

      pair.server.writeAndFlush(Unpooled.wrappedBuffer(content(700))).sync();
      await().until(() -> client.count() == 700);
      pair.server.close().sync();
      await().until(() -> client.inactive);
      assertThat(client.failure).isNull();
      assertCarried(row, pair, 500);
    }
  }

  @ParameterizedTest
  @EnumSource
  void withoutHalfClosureTheEndClosesTheChannel(Row row) throws Exception {
    try (LoopPair pair = row.open()) {
      Recorder server = record(pair.server);
      pair.client.writeAndFlush(Unpooled.wrappedBuffer(content(500)));
      pair.client.shutdownOutput().sync();
      await().until(() -> server.inactive);
      assertThat(server.events).isEmpty();
      assertThat(server.failure).isNull();
      assertThat(server.bytes()).isEqualTo(content(500));
      assertThat(pair.server.isOpen()).isFalse();
      assertCarried(row, pair, 500);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCloseWithoutLingeringResetsThePeer(Row row) throws Exception {
    try (LoopPair pair = row.open()) {
      Recorder server = record(pair.server);
      pair.client.writeAndFlush(Unpooled.wrappedBuffer(content(500))).sync();
      await().until(() -> server.count() == 500);
      pair.client.config().setOption(ChannelOption.SO_LINGER, 0);
      pair.client.close().sync();
      await().until(() -> server.inactive);
      assertThat(server.failure).isInstanceOf(IOException.class);
      assertCarried(row, pair, 500);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCloseThatLingersDoesNotStopTheLoop(Row row) throws Exception {
    try (LoopPair pair = row.open()) {
      Recorder server = record(pair.server);
      pair.client.config().setOption(ChannelOption.SO_LINGER, 60);
      pair.server.config().setAutoRead(false);
      pair.server.eventLoop().submit(() -> {}).sync();
      pair.client.writeAndFlush(Unpooled.wrappedBuffer(content(10_000))).sync();
      var closed = pair.client.close();
      Future<?> other = pair.clientLoop.submit(() -> {});
      other.get(30, TimeUnit.SECONDS);
      pair.server.config().setAutoRead(true);
      assertThat(closed.await(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      await().until(() -> server.inactive);
      assertThat(server.bytes()).isEqualTo(content(10_000));
      assertThat(server.failure).isNull();
      assertCarried(row, pair, 10_000);
    }
  }

  @ParameterizedTest
  @EnumSource
  void connectingToAHostThatDoesNotAnswerTimesOut(Row row) throws Exception {
    try (LoopPair pair = row.open();
        FullListener host = new FullListener(new StockCarrier())) {
      var connecting =
          new Bootstrap()
              .group(pair.clientLoop)
              .channelFactory(row::newChannel)
              .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 200)
              .handler(new Recorder())
              .connect(host.address());
      assertThat(connecting.await(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(connecting.cause()).isInstanceOf(ConnectTimeoutException.class);
      await().until(() -> !connecting.channel().isOpen());
    }
  }

  /**
   * The kernel calls a socket that never connected readable, of which Netty NIO makes a {@code
   * NotYetConnectedException} for each turn of its loop; ours waits for the connection.
   */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "STOCK")
  void aReadBeforeTheConnectWaitsForTheConnection(Row row) throws Exception {
    try (LoopPair pair = row.open();
        ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Recorder recorder = new Recorder();
      Channel channel = row.newChannel();
      channel.pipeline().addLast(recorder);
      pair.clientLoop.register(channel).sync();
      channel.read();
      letTheLoopGoRound(channel);
      assertThat(recorder.failure).isNull();
      channel.connect(listener.getLocalSocketAddress()).sync();
      try (Socket peer = listener.accept()) {
        peer.getOutputStream().write(1);
        await().until(() -> recorder.count() == 1);
      }
      channel.close().sync();
      assertThat(recorder.failure).isNull();
    }
  }

  /** A loop of ours serves streams on the ring, streams that stay plain, and timers. */
  @Test
  void oneLoopServesRingAndPlainStreamsAndTimers() throws Exception {
    try (LoopPair pair = LoopPair.onRing()) {
      LoopPair.add(pair.server, new LoopPair.Echo());
      Recorder ring = record(pair.client);
      Recorder plain = new Recorder();
      try (ServerSocket unrelated = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        Channel channel =
            new Bootstrap()
                .group(pair.clientLoop)
                .channelFactory(Row.RING::newChannel)
                .handler(plain)
                .connect(unrelated.getLocalSocketAddress())
                .sync()
                .channel();
        try (Socket peer = unrelated.accept()) {
          AtomicInteger ticks = new AtomicInteger();
          pair.clientLoop.scheduleAtFixedRate(ticks::incrementAndGet, 5, 5, TimeUnit.MILLISECONDS);
          byte[] piece = content(1000);
          for (int i = 1; i <= 200; i++) {
            pair.client.writeAndFlush(Unpooled.wrappedBuffer(piece));
            channel.writeAndFlush(Unpooled.wrappedBuffer(piece));
            assertThat(peer.getInputStream().readNBytes(piece.length)).isEqualTo(piece);
            peer.getOutputStream().write(piece);
            int all = i * piece.length;
            await()
                .pollInterval(Duration.ofMillis(1))
                .until(() -> ring.count() == all && plain.count() == all);
          }
          await().until(() -> ticks.get() >= 10);
          assertCarried(Row.RING, pair, 200_000);
          assertThat(LoopPair.status(channel).ringBytesOut()).isZero();
          channel.close().sync();
        }
      }
    }
  }

  /** Large messages of both kinds of memory: a copy of any would be seen in one of two counts. */
  @Test
  void buffersGoIntoTheRingWithoutACopy() throws Exception {
    // A ring that stays full overflows, and the kernel needs copies: then they go once more.
    while (!haveGoneIntoTheRing()) {}
  }

  private static boolean haveGoneIntoTheRing() throws Exception {
    try (LoopPair pair = LoopPair.onRing()) {
      final long plain = LoopPair.status(pair.client).plainBytesOut();
      Recorder server = record(pair.server);
      CountingAllocator allocator = new CountingAllocator();
      pair.client.config().setAllocator(allocator);
      long loop = pair.clientLoop.submit(() -> Thread.currentThread().threadId()).get();
      byte[] content = content(50_000);
      ByteBuf heap = Unpooled.wrappedBuffer(content);
      ByteBuf direct = Unpooled.directBuffer(content.length).writeBytes(content);
      ByteBuf both = Unpooled.wrappedBuffer(heap.duplicate(), direct.duplicate());
      int rounds = 50;
      int all = 0;
      List<Long> allocated = new ArrayList<>();
      for (ByteBuf message : List.of(heap, direct, both)) {
        long before = 0;
        for (int i = 0; i <= rounds; i++) {
          pair.client.writeAndFlush(message.retainedDuplicate()).sync();
          all += message.readableBytes();
          int expected = all;
          await().pollInterval(Duration.ofMillis(1)).until(() -> server.count() == expected);
          if (i == 0) {
            before = THREADS.getThreadAllocatedBytes(loop); // classes are loaded
          }
        }
        allocated.add((THREADS.getThreadAllocatedBytes(loop) - before) / rounds);
      }
      List.of(heap, direct).forEach(ByteBuf::release);
      if (LoopPair.status(pair.client).plainBytesOut() > plain) {
        return false;
      }
      assertThat(allocated)
          .as("bytes allocated for each message of heap, direct, both")
          .allMatch(each -> each < content.length / 4);
      // A doorbell may make the client try to read, into a small buffer of its allocator.
      assertThat(allocator.bytes()).as("bytes of buffers").isLessThan(content.length);
      assertCarried(Row.RING, pair, all);
      return true;
    }
  }

  @Test
  void fastOpenIsIgnoredWithOneWarning() throws Exception {
    List<LogRecord> warnings = new CopyOnWriteArrayList<>();
    Logger logger = Logger.getLogger(FastOpen.class.getName());
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            warnings.add(record);
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    try (LoopPair pair = LoopPair.onRing()) {
      assertThat(pair.client.config().setOption(ChannelOption.TCP_FASTOPEN_CONNECT, true)).isTrue();
      assertThat(pair.client.config().setOption(ChannelOption.TCP_FASTOPEN_CONNECT, true)).isTrue();
      assertThat(pair.client.parent()).isNull();
      assertThat(pair.server.parent().config().setOption(ChannelOption.TCP_FASTOPEN, 5)).isTrue();
    } finally {
      logger.removeHandler(handler);
    }
    assertThat(warnings)
        .singleElement()
        .satisfies(warning ->
            assertThat(warning.getMessage()).contains("TCP_FASTOPEN").contains("ignored"));
  }
}
