package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Tape;

/** Socket options do what they do on the stock JDK, each of them, before and after the connect. */
public abstract class OptionContract extends NioContract {

  private static final List<Object> CANDIDATES =
      List.of(1 << 17, 30_000, 0x10, 7, 1, 0, -1, true, false, "", "text");

  /** What the kernel changes by itself, with the traffic: here only setting is compared. */
  private static final Set<String> LIVING = Set.of("TCP_QUICKACK", "SO_INCOMING_NAPI_ID");

  /** What the kernel changes by itself until the program sets it. */
  private static final Set<String> TUNED = Set.of("SO_SNDBUF", "SO_RCVBUF");

  /** Nothing is opened yet. */
  protected OptionContract() {}

  @Test
  void theSameOptionsAreSupportedAsOnTheStockJdk() throws Exception {
    assertThat(net().open().supportedOptions())
        .isEqualTo(net().closing(carrier().stock().openSocketChannel()).supportedOptions());
    assertThat(net().openServer().supportedOptions())
        .isEqualTo(net().closing(carrier().stock().openServerSocketChannel()).supportedOptions());
    for (StandardProtocolFamily family : StandardProtocolFamily.values()) {
      assertThat(net().closing(carrier().provider().openSocketChannel(family)).supportedOptions())
          .isEqualTo(net().closing(carrier().stock().openSocketChannel(family)).supportedOptions());
      assertThat(
              net()
                  .closing(carrier().provider().openServerSocketChannel(family))
                  .supportedOptions())
          .isEqualTo(
              net().closing(carrier().stock().openServerSocketChannel(family)).supportedOptions());
    }
  }

  @Test
  void anUnconnectedChannelAnswersEveryOptionLikeTheStockJdk() throws Exception {
    assertSameOptions(net().open(), net().closing(carrier().stock().openSocketChannel()));
  }

  @Test
  void aListenerAnswersEveryOptionLikeTheStockJdk() throws Exception {
    assertSameOptions(
        net().openServer(), net().closing(carrier().stock().openServerSocketChannel()));
    assertSameOptions(net().listen(), net().listen(carrier().stock()));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aConnectedChannelAnswersEveryOptionLikeTheStockJdk(boolean settled) throws Exception {
    Pair stock = net().pair(carrier().stock(), carrier().stock());
    Pair pair = settled ? net().settledPair() : net().freshPair();

    assertSameOptions(pair.client(), stock.client());
    assertSameOptions(pair.server(), stock.server());
  }

  @Test
  void noOptionDisturbsTheStream() throws Exception {
    Pair pair = net().settledPair();
    Tape sent = new Tape(1);
    Tape received = new Tape(1);

    for (SocketOption<?> option : byName(pair.client())) {
      for (Object candidate : CANDIDATES) {
        outcomeOfSetting(pair.client(), option, candidate);
        outcomeOfSetting(pair.server(), option, candidate);
        Bytes.write(pair.client(), sent.next(100));
        Bytes.readTape(pair.server(), received, 100);
        Bytes.write(pair.server(), sent.next(100));
        Bytes.readTape(pair.client(), received, 100);
      }
    }
  }

  @Test
  void optionsSetBeforeTheConnectAreThereAfterwards() throws Exception {
    ServerSocketChannel listener = net().listen();
    SocketChannel client = net().open();
    assertThat(client.setOption(StandardSocketOptions.TCP_NODELAY, true)).isSameAs(client);
    client.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    client.setOption(StandardSocketOptions.SO_LINGER, 3);

    client.connect(listener.getLocalAddress());
    net().settle(new Pair(client, net().closing(listener.accept())));

    assertThat(client.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
    assertThat(client.getOption(StandardSocketOptions.SO_KEEPALIVE)).isTrue();
    assertThat(client.getOption(StandardSocketOptions.SO_LINGER)).isEqualTo(3);
  }

  @Test
  void theReceiveBufferOfAListenerIsInheritedByItsStreams() throws Exception {
    int size = 32 * 1024;
    ServerSocketChannel ours = net().openServer();
    ServerSocketChannel stock = net().closing(carrier().stock().openServerSocketChannel());
    ours.setOption(StandardSocketOptions.SO_RCVBUF, size).bind(Network.anyPort());
    stock.setOption(StandardSocketOptions.SO_RCVBUF, size).bind(Network.anyPort());

    Pair pair = net().settle(net().pair(ours));
    Pair reference = net().pair(stock);

    assertThat(pair.server().getOption(StandardSocketOptions.SO_RCVBUF))
        .isEqualTo(reference.server().getOption(StandardSocketOptions.SO_RCVBUF));
    int volume = 4 * size;
    Background<?> writer =
        Background.run(() -> Bytes.writeTape(pair.client(), new Tape(1), volume));
    Bytes.readTape(pair.server(), new Tape(1), volume);
    writer.result();
  }

  @Test
  void unknownOptionsAndWrongValuesAreRefused() throws Exception {
    SocketChannel stream = net().settledPair().client();
    ServerSocketChannel listener = net().openServer();

    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> stream.getOption(StandardSocketOptions.IP_MULTICAST_TTL));
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> stream.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1));
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> listener.setOption(StandardSocketOptions.TCP_NODELAY, true));
    assertThatNullPointerException().isThrownBy(() -> stream.getOption(nothing()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> stream.setOption(StandardSocketOptions.SO_SNDBUF, -1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> stream.setOption(StandardSocketOptions.TCP_NODELAY, nothing()));
  }

  private static void assertSameOptions(NetworkChannel actual, NetworkChannel expected) {
    for (SocketOption<?> option : byName(expected)) {
      if (!TUNED.contains(option.name())) {
        assertSameValue(actual, expected, option, "at first");
      }
      for (Object candidate : CANDIDATES) {
        assertThat(outcomeOfSetting(actual, option, candidate))
            .as("setting %s to %s", option, candidate)
            .isEqualTo(outcomeOfSetting(expected, option, candidate));
        assertSameValue(actual, expected, option, "after setting it to " + candidate);
      }
    }
  }

  private static void assertSameValue(
      NetworkChannel actual, NetworkChannel expected, SocketOption<?> option, String when) {
    if (!LIVING.contains(option.name())) {
      assertThat(outcomeOfGetting(actual, option))
          .as("%s %s", option, when)
          .isEqualTo(outcomeOfGetting(expected, option));
    }
  }

  private static List<SocketOption<?>> byName(NetworkChannel channel) {
    return channel.supportedOptions().stream()
        .sorted(Comparator.<SocketOption<?>, String>comparing(SocketOption::name))
        .toList();
  }

  private static Object outcomeOfGetting(NetworkChannel channel, SocketOption<?> option) {
    try {
      return String.valueOf(channel.getOption(option));
    } catch (Exception e) {
      return e.getClass();
    }
  }

  @SuppressWarnings("unchecked")
  private static Object outcomeOfSetting(
      NetworkChannel channel, SocketOption<?> option, Object value) {
    try {
      channel.setOption((SocketOption<Object>) option, value);
      return "set";
    } catch (Exception e) {
      return e.getClass();
    }
  }
}
