package org.slipstream.testkit.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Options, old and new, are those of the kernel connection. */
public abstract class OptionContract extends SocketContract {

  /** Nothing is opened yet. */
  protected OptionContract() {}

  @Test
  void theOldMethodsSetAndGet() throws Exception {
    for (Socket socket : new Socket[] {open(), settledPair().client(), settledPair().server()}) {
      for (boolean on : new boolean[] {true, false}) {
        socket.setTcpNoDelay(on);
        assertThat(socket.getTcpNoDelay()).isEqualTo(on);
        socket.setKeepAlive(on);
        assertThat(socket.getKeepAlive()).isEqualTo(on);
        socket.setReuseAddress(on);
        assertThat(socket.getReuseAddress()).isEqualTo(on);
        socket.setOOBInline(on);
        assertThat(socket.getOOBInline()).isEqualTo(on);
      }
      assertThat(socket.getSoLinger()).isEqualTo(-1);
      socket.setSoLinger(true, 7);
      assertThat(socket.getSoLinger()).isEqualTo(7);
      socket.setSoLinger(true, 0);
      assertThat(socket.getSoLinger()).isZero();
      socket.setSoLinger(false, 7);
      assertThat(socket.getSoLinger()).isEqualTo(-1);
      socket.setTrafficClass(0x10);
      assertThat(socket.getTrafficClass()).isEqualTo(0x10);
      socket.setSendBufferSize(64 * 1024);
      assertThat(socket.getSendBufferSize()).isGreaterThanOrEqualTo(64 * 1024);
      socket.setReceiveBufferSize(64 * 1024);
      assertThat(socket.getReceiveBufferSize()).isGreaterThanOrEqualTo(64 * 1024);
      socket.setPerformancePreferences(1, 2, 3);
    }
  }

  @Test
  void valuesAreChecked() throws Exception {
    Socket socket = open();
    assertThatIllegalArgumentException().isThrownBy(() -> socket.setSendBufferSize(0));
    assertThatIllegalArgumentException().isThrownBy(() -> socket.setReceiveBufferSize(0));
    assertThatIllegalArgumentException().isThrownBy(() -> socket.setSoLinger(true, -1));
    assertThatIllegalArgumentException().isThrownBy(() -> socket.setTrafficClass(256));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> socket.setOption(StandardSocketOptions.SO_RCVBUF, -1));
    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> socket.setOption(nothing(), 1));
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> socket.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true))
        .withMessage("'IP_MULTICAST_LOOP' not supported");
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> socket.getOption(StandardSocketOptions.IP_MULTICAST_TTL));
  }

  @Test
  void theSupportedOptionsAreThoseOfTheJdk() throws Exception {
    try (Socket stock = new StockSockets().open();
        ServerSocket stockServer = new StockSockets().openServer()) {
      assertThat(open().supportedOptions()).isEqualTo(stock.supportedOptions());
      assertThat(settledPair().server().supportedOptions()).isEqualTo(stock.supportedOptions());
      assertThat(openServer().supportedOptions()).isEqualTo(stockServer.supportedOptions());
    }
  }

  @Test
  void everySupportedOptionCanBeReadAndWrittenBack() throws Exception {
    for (Socket socket : new Socket[] {open(), settledPair().client()}) {
      for (SocketOption<?> option : socket.supportedOptions()) {
        if (option.equals(ExtendedSocketOptions.TCP_QUICKACK) && !socket.isConnected()) {
          continue;
        }
        if (!option.name().equals("SO_INCOMING_NAPI_ID")) {
          writeBack(socket, option);
        }
      }
    }
    ServerSocket listener = listen();
    for (SocketOption<?> option : listener.supportedOptions()) {
      if (!option.name().equals("SO_INCOMING_NAPI_ID")) {
        Object value = listener.getOption(option);
        assertThat(value).as(option.name()).isNotNull();
      }
    }
  }

  private static <T> void writeBack(Socket socket, SocketOption<T> option) throws Exception {
    T value = socket.getOption(option);
    assertThat(value).as(option.name()).isNotNull();
    if (!(value instanceof Integer number) || number > 0) {
      assertThat(socket.setOption(option, value)).isSameAs(socket);
    }
  }

  @Test
  void oldAndNewMethodsMeanTheSame() throws Exception {
    Socket socket = settledPair().client();
    socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    assertThat(socket.getTcpNoDelay()).isTrue();
    socket.setOption(StandardSocketOptions.SO_LINGER, 3);
    assertThat(socket.getSoLinger()).isEqualTo(3);
    socket.setSoLinger(false, 0);
    assertThat(socket.getOption(StandardSocketOptions.SO_LINGER)).isEqualTo(-1);
    socket.setKeepAlive(true);
    assertThat(socket.getOption(StandardSocketOptions.SO_KEEPALIVE)).isTrue();
    socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, 77);
    assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isEqualTo(77);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 256, 65_536})
  void aTrafficClassOutOfItsRangeIsRefused(int trafficClass) throws Exception {
    ServerSocket listener = openServer();
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> listener.setOption(StandardSocketOptions.IP_TOS, trafficClass));
    assertThat(listener.getOption(StandardSocketOptions.IP_TOS)).isZero();
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> open().setOption(StandardSocketOptions.IP_TOS, trafficClass));
  }

  @Test
  void theTrafficClassOfAListenerIsThatOfItsConnections() throws Exception {
    ServerSocket listener = listen();
    listener.setOption(StandardSocketOptions.IP_TOS, 255);
    int kept = listener.getOption(StandardSocketOptions.IP_TOS);
    assertThat(kept).as("the kernel keeps two bits for itself").isEqualTo(252);
    Socket client = connect(listener);
    assertThat(closing(listener.accept()).getOption(StandardSocketOptions.IP_TOS)).isEqualTo(kept);
    assertThat(client.getOption(StandardSocketOptions.IP_TOS)).isZero();
  }

  @Test
  void optionsOfAListener() throws Exception {
    ServerSocket listener = openServer();
    assertThat(listener.getReuseAddress()).isTrue();
    listener.setReuseAddress(false);
    assertThat(listener.getReuseAddress()).isFalse();
    listener.setReceiveBufferSize(96 * 1024);
    assertThat(listener.getReceiveBufferSize()).isGreaterThanOrEqualTo(96 * 1024);
    listener.setOption(StandardSocketOptions.SO_REUSEPORT, true);
    assertThat(listener.getOption(StandardSocketOptions.SO_REUSEPORT)).isTrue();
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> listener.setOption(StandardSocketOptions.TCP_NODELAY, true));
    listener.close();
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> listener.getOption(StandardSocketOptions.SO_RCVBUF))
        .withMessage("Socket is closed");
  }

  @Test
  void optionsOfAClosedSocketAreRefused() throws Exception {
    Socket socket = settledPair().client();
    socket.close();

    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> socket.setOption(StandardSocketOptions.TCP_NODELAY, true))
        .withMessage("Socket is closed");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> socket.getOption(StandardSocketOptions.TCP_NODELAY))
        .withMessage("Socket is closed");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(socket::getReceiveBufferSize)
        .withMessage("Socket is closed");
  }
}
