package org.slipstream.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a program sees of a channel, by the letter of Netty NIO: each test runs over that first,
 * then over our channel without and with the ring.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the connection
class ChannelTest {
  private static final int LARGE = 4_000_000;

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

  /** The fast path must have carried it: a test that silently ran on TCP proves nothing. */
  private static void assertCarried(Row row, LoopPair pair, long bytes) {
    if (row == Row.RING) {
      assertThat(LoopPair.status(pair.client).ringBytesOut()).isGreaterThanOrEqualTo(bytes);
    } else if (row == Row.PLAIN) {
      assertThat(LoopPair.status(pair.client).ringBytesOut()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsReadWithoutAutoReadUntilItIsAskedFor(Row row) throws Exception {
    try (LoopPair pair = row.open()) {
      Recorder server = record(pair.server);
      pair.server.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(100).maxMessagesPerRead(1));
      pair.server.config().setAutoRead(false);
      pair.server.eventLoop().submit(() -> {}).sync();
      byte[] content = content(1000);
      pair.client.writeAndFlush(Unpooled.wrappedBuffer(content)).sync();
      // It is there, and the loop has been round since.
      pair.client.writeAndFlush(Unpooled.EMPTY_BUFFER).sync();
      pair.server.eventLoop().schedule(() -> {}, 20, TimeUnit.MILLISECONDS).sync();
      assertThat(server.count()).isZero();

      pair.server.read();
      await().until(() -> server.count() == 100);
      pair.server.eventLoop().schedule(() -> {}, 20, TimeUnit.MILLISECONDS).sync();
      assertThat(server.reads).hasValue(1);

      pair.server.config().setAutoRead(true);
      await().until(() -> server.count() == 1000);
      assertThat(server.bytes()).isEqualTo(content);
      assertCarried(row, pair, 1000);
    }
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
      while (pair.client.isWritable() && written < 500_000_000) {
        pair.client.writeAndFlush(Unpooled.wrappedBuffer(piece));
        pair.client.eventLoop().submit(() -> {}).sync();
        written += piece.length;
      }
      assertThat(pair.client.isWritable()).isFalse();
      assertThat(pair.client.bytesBeforeWritable()).isPositive();
      assertThat(client.writability).containsExactly(false);

      pair.server.config().setAutoRead(true);
      int all = written;
      await().atMost(20, TimeUnit.SECONDS).until(() -> server.count() == all);
      await().untilAsserted(() -> assertThat(client.writability).containsExactly(false, true));
      byte[] got = server.bytes();
      for (int i = 0; i < all; i += piece.length) {
        assertThat(Arrays.equals(got, i, i + piece.length, piece, 0, piece.length)).isTrue();
      }
      assertCarried(row, pair, all);
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
      await().atMost(20, TimeUnit.SECONDS).until(() -> server.count() == LARGE);
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
      assertThat(same.get(5, TimeUnit.SECONDS)).isTrue();
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
      pair.client.config().setOption(ChannelOption.SO_LINGER, 5);
      pair.server.config().setAutoRead(false);
      pair.server.eventLoop().submit(() -> {}).sync();
      pair.client.writeAndFlush(Unpooled.wrappedBuffer(content(10_000))).sync();
      var closed = pair.client.close();
      Future<?> other = pair.clientLoop.submit(() -> {});
      other.get(4, TimeUnit.SECONDS);
      pair.server.config().setAutoRead(true);
      assertThat(closed.await(10, TimeUnit.SECONDS)).isTrue();
      await().until(() -> server.inactive);
      assertThat(server.bytes()).isEqualTo(content(10_000));
      assertThat(server.failure).isNull();
      assertCarried(row, pair, 10_000);
    }
  }
}
