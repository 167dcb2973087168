package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.FullListener;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;

/** What is refused in which state of a stream, and by which exception. */
public abstract class ConnectStateContract extends NioContract {

  private static final InetSocketAddress UNRESOLVED =
      InetSocketAddress.createUnresolved("nowhere.invalid", 80);

  /** Nothing is opened yet. */
  protected ConnectStateContract() {}

  @Test
  void aNewChannelIsOpenBlockingAndUnconnected() throws Exception {
    SocketChannel channel = net().open();

    assertThat(channel.isOpen()).isTrue();
    assertThat(channel.isBlocking()).isTrue();
    assertThat(channel.isConnected()).isFalse();
    assertThat(channel.isConnectionPending()).isFalse();
    assertThat(channel.getLocalAddress()).isNull();
    assertThat(channel.getRemoteAddress()).isNull();
  }

  @Test
  void readingWritingAndShuttingDownNeedAConnection() throws Exception {
    SocketChannel channel = net().open();

    assertEachThrows(NotYetConnectedException.class, transfersAndShutdowns(channel));
    channel.configureBlocking(false);
    assertEachThrows(NotYetConnectedException.class, transfersAndShutdowns(channel));

    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void whileTheConnectionIsPendingOnlyFinishingIsAllowed() throws Exception {
    FullListener listener = net().closing(new FullListener(carrier()));
    SocketChannel channel = net().open();
    channel.configureBlocking(false);

    assertThat(channel.connect(listener.address())).isFalse();

    assertThat(channel.isConnectionPending()).isTrue();
    assertThat(channel.isConnected()).isFalse();
    assertThat(channel.finishConnect()).isFalse();
    assertThat(channel.getRemoteAddress()).isEqualTo(listener.address());
    assertEachThrows(
        ConnectionPendingException.class,
        List.of(() -> channel.connect(listener.address()), () -> channel.bind(null)));
    assertEachThrows(NotYetConnectedException.class, transfersAndShutdowns(channel));
    assertThat(channel.isOpen()).isTrue();
    assertThat(channel.isConnectionPending()).isTrue();
  }

  @Test
  void connectingAgainIsAlreadyConnected() throws Exception {
    Pair pair = net().settledPair();
    SocketChannel client = pair.client();

    assertThatExceptionOfType(AlreadyConnectedException.class)
        .isThrownBy(() -> client.connect(client.getRemoteAddress()));
    assertThatExceptionOfType(AlreadyConnectedException.class)
        .isThrownBy(() -> pair.server().connect(client.getLocalAddress()));

    assertThat(client.isConnected()).isTrue();
    assertThat(client.finishConnect()).isTrue();
  }

  @Test
  void finishingWhatWasNotBegunIsNoConnectionPending() throws Exception {
    SocketChannel channel = net().open();

    assertThatExceptionOfType(NoConnectionPendingException.class)
        .isThrownBy(channel::finishConnect);
    channel.configureBlocking(false);
    assertThatExceptionOfType(NoConnectionPendingException.class)
        .isThrownBy(channel::finishConnect);

    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void bindingTwiceIsAlreadyBound() throws Exception {
    SocketChannel channel = net().open().bind(Network.anyPort());

    assertThatExceptionOfType(AlreadyBoundException.class)
        .isThrownBy(() -> channel.bind(Network.anyPort()));

    Pair pair = net().settledPair();
    assertThatExceptionOfType(AlreadyBoundException.class)
        .isThrownBy(() -> pair.client().bind(null));
    assertThatExceptionOfType(AlreadyBoundException.class)
        .isThrownBy(() -> pair.server().bind(null));
  }

  @Test
  void anUnresolvedAddressIsRefusedAndTheChannelStaysOpen() throws Exception {
    SocketChannel channel = net().open();

    assertThatExceptionOfType(UnresolvedAddressException.class)
        .isThrownBy(() -> channel.connect(UNRESOLVED));
    assertThatExceptionOfType(UnresolvedAddressException.class)
        .isThrownBy(() -> channel.bind(UNRESOLVED));

    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void anAddressOfAnotherKindIsRefusedAndTheChannelStaysOpen() throws Exception {
    SocketChannel channel = net().open();
    UnixDomainSocketAddress path = UnixDomainSocketAddress.of("/nowhere");

    assertThatExceptionOfType(UnsupportedAddressTypeException.class)
        .isThrownBy(() -> channel.connect(path));
    assertThatExceptionOfType(UnsupportedAddressTypeException.class)
        .isThrownBy(() -> channel.bind(path));
    assertThatNullPointerException().isThrownBy(() -> channel.connect(nothing()));

    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void nothingButClosingIsPossibleOnAClosedChannel() throws Exception {
    Pair pair = net().settledPair();
    SocketChannel channel = pair.client();
    Selector selector = net().selector();
    channel.close();
    channel.close();

    assertThat(channel.isOpen()).isFalse();
    assertThat(channel.isConnected()).isFalse();
    assertThat(channel.isConnectionPending()).isFalse();
    assertEachThrows(ClosedChannelException.class, transfersAndShutdowns(channel));
    assertEachThrows(
        ClosedChannelException.class,
        List.of(
            () -> channel.connect(Network.anyPort()),
            channel::finishConnect,
            () -> channel.bind(null),
            channel::getLocalAddress,
            channel::getRemoteAddress,
            () -> channel.setOption(StandardSocketOptions.TCP_NODELAY, true),
            () -> channel.getOption(StandardSocketOptions.TCP_NODELAY),
            () -> channel.configureBlocking(false),
            () -> channel.register(selector, SelectionKey.OP_READ)));
  }

  @Test
  void aChannelThatWasNeverConnectedCanBeClosedAndIsThenClosed() throws Exception {
    SocketChannel channel = net().open();
    channel.close();

    assertEachThrows(ClosedChannelException.class, transfersAndShutdowns(channel));
    assertThatExceptionOfType(ClosedChannelException.class)
        .isThrownBy(() -> channel.connect(net().listen().getLocalAddress()));
  }

  @Test
  void misuseDoesNotDisturbAStreamInUse() throws Exception {
    Pair pair = net().settledPair();

    assertThatExceptionOfType(AlreadyConnectedException.class)
        .isThrownBy(() -> pair.client().connect(Network.anyPort()));
    assertThatNullPointerException().isThrownBy(() -> pair.client().read((ByteBuffer) nothing()));
    assertThatNullPointerException().isThrownBy(() -> pair.client().write((ByteBuffer) nothing()));

    Bytes.exchange(pair.client(), pair.server(), "unmoved");
  }

  private static List<ThrowingCallable> transfersAndShutdowns(SocketChannel channel) {
    return List.of(
        () -> channel.read(ByteBuffer.allocate(1)),
        () -> channel.read(new ByteBuffer[] {ByteBuffer.allocate(1)}),
        () -> channel.write(ByteBuffer.allocate(1)),
        () -> channel.write(new ByteBuffer[] {ByteBuffer.allocate(1)}),
        channel::shutdownInput,
        channel::shutdownOutput);
  }

  private static void assertEachThrows(
      Class<? extends Throwable> type, List<ThrowingCallable> calls) {
    for (int i = 0; i < calls.size(); i++) {
      assertThatExceptionOfType(type).as("call %d", i).isThrownBy(calls.get(i));
    }
  }
}
