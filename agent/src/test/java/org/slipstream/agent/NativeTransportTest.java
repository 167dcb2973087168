package org.slipstream.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which classes are channels of Netty's native transports, and of which copy of Netty. */
class NativeTransportTest {
  @ParameterizedTest
  @CsvSource({
    "io.netty.channel.epoll.EpollSocketChannel,             epoll,    io.netty",
    "io.netty.channel.epoll.EpollServerSocketChannel,       epoll,    io.netty",
    "io.netty.channel.uring.IoUringSocketChannel,           io_uring, io.netty",
    "io.netty.incubator.channel.uring.IOUringSocketChannel, io_uring, io.netty",
    "io.netty.channel.kqueue.KQueueServerSocketChannel,     kqueue,   io.netty",
    "io.grpc.netty.shaded.io.netty.channel.epoll.EpollSocketChannel, epoll, io.grpc.netty.shaded.io.netty",
    "com.datastax.shaded.netty.channel.epoll.EpollSocketChannel, epoll, com.datastax.shaded.netty"
  })
  void theNameSaysWhichAndWhose(String name, String kind, String netty) {
    assertThat(name).endsWith(NativeTransport.ENDING);
    assertThat(NativeTransport.ofClass(name)).isEqualTo(new NativeTransport(kind, netty));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "io.netty.channel.socket.nio.NioSocketChannel",
        "io.netty.channel.epoll.EpollDomainSocketChannel",
        "io.netty.channel.epoll.AbstractEpollServerChannel",
        "java.nio.channels.SocketChannel",
        "org.example.channel.epoll.EpollSocketChannel"
      })
  void othersAreNone(String name) {
    assertThat(NativeTransport.ofClass(name)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = "io.grpc.netty.shaded.io.netty.channel.epoll.EpollSocketChannel")
  void theAdviceHasThePropertyOfThatCopy(String name) {
    assertThat(Objects.requireNonNull(NativeTransport.ofClass(name)).advice())
        .startsWith("-Dio.grpc.netty.shaded.io.netty.transport.noNative=true ");
  }
}
