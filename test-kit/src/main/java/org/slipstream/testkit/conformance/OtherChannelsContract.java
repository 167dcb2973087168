package org.slipstream.testkit.conformance;

import static java.net.StandardProtocolFamily.INET;
import static java.net.StandardProtocolFamily.UNIX;
import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;

/** The channels that are not TCP streams work as ever, and all kinds share one selector. */
public abstract class OtherChannelsContract extends NioContract {

  private static final long LONG_MILLIS = Patience.DEADLINE.toMillis();

  /** Nothing is opened yet. */
  protected OtherChannelsContract() {}

  @Test
  void unixDomainStreamsWork(@TempDir Path directory) throws Exception {
    Pair pair = unixPair(directory);

    assertThat(pair.client().getRemoteAddress())
        .isEqualTo(UnixDomainSocketAddress.of(directory.resolve("s")));
    Bytes.exchange(pair.client(), pair.server(), "by path");
    Bytes.exchange(pair.server(), pair.client(), "and back");
    pair.client().shutdownOutput();
    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
    pair.server().close();
    assertThat(Bytes.readOne(pair.client())).isEqualTo(-1);
  }

  @Test
  void unixDomainChannelsHaveTheirOwnRules() throws Exception {
    SocketChannel client = net().closing(provider().openSocketChannel(UNIX));
    ServerSocketChannel listener = net().closing(provider().openServerSocketChannel(UNIX));

    assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(client::socket);
    assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(listener::socket);
    assertThatExceptionOfType(UnsupportedAddressTypeException.class)
        .isThrownBy(() -> client.connect(Network.anyPort()));
    assertThatExceptionOfType(UnsupportedAddressTypeException.class)
        .isThrownBy(() -> listener.bind(Network.anyPort()));
    assertThat(client.bind(null).getLocalAddress()).isEqualTo(UnixDomainSocketAddress.of(""));
  }

  @Test
  void datagramsWork() throws Exception {
    DatagramChannel one = net().closing(provider().openDatagramChannel());
    DatagramChannel two = net().closing(provider().openDatagramChannel(INET));
    one.bind(Network.anyPort());
    two.bind(Network.anyPort());

    assertThat(one.send(Bytes.ascii("datagram"), two.getLocalAddress())).isEqualTo(8);

    ByteBuffer received = ByteBuffer.allocate(20);
    assertThat(two.receive(received)).isEqualTo(one.getLocalAddress());
    assertThat(received.flip()).isEqualTo(Bytes.ascii("datagram"));
    two.connect(one.getLocalAddress());
    assertThat(two.write(Bytes.ascii("reply"))).isEqualTo(5);
    assertThat(one.receive(received.clear())).isEqualTo(two.getLocalAddress());
  }

  @Test
  void pipesWork() throws Exception {
    Pipe pipe = provider().openPipe();
    Pipe.SourceChannel source = net().closing(pipe.source());
    Pipe.SinkChannel sink = net().closing(pipe.sink());

    Background<String> read = Background.call(() -> Bytes.read(source, 5)).awaitBlocked();
    Bytes.write(sink, "piped");

    assertThat(read.result()).isEqualTo("piped");
    sink.close();
    assertThat(Bytes.readOne(source)).isEqualTo(-1);
  }

  @Test
  void theInheritedChannelIsTheOneOfTheStockJdk() throws Exception {
    Channel inherited = provider().inheritedChannel();

    assertThat(inherited == null).isEqualTo(carrier().stock().inheritedChannel() == null);
  }

  @Test
  void allKindsOfChannelsShareOneSelector(@TempDir Path directory) throws Exception {
    Selector selector = net().selector();
    Pair stream = net().settledPair();
    Pair fresh = net().freshPair();
    Pair plain = net().pair(carrier().stock(), carrier().stock());
    Pair unix = unixPair(directory);
    DatagramChannel datagram = net().closing(provider().openDatagramChannel(INET));
    datagram.bind(Network.anyPort());
    Pipe pipe = provider().openPipe();
    net().closing(pipe.source());
    net().closing(pipe.sink());
    ServerSocketChannel listener = net().listen();
    register(selector, stream.client(), OP_READ, "stream");
    register(selector, fresh.client(), OP_READ, "fresh");
    register(selector, plain.client(), OP_READ, "plain");
    register(selector, unix.client(), OP_READ, "unix");
    register(selector, datagram, OP_READ, "datagram");
    register(selector, pipe.source(), OP_READ, "pipe");
    register(selector, listener, OP_ACCEPT, "listener");

    for (int round = 0; round < 3; round++) {
      assertThat(selector.select(50)).isZero();
      Bytes.write(stream.server(), "x");
      Bytes.write(fresh.server(), "x");
      Bytes.write(plain.server(), "x");
      Bytes.write(unix.server(), "x");
      datagram.send(Bytes.ascii("x"), datagram.getLocalAddress());
      Bytes.write(pipe.sink(), "x");
      SocketChannel caller = net().connect(listener);

      assertReported(selector, "stream", "fresh", "plain", "unix", "datagram", "pipe", "listener");

      for (SocketChannel channel :
          new SocketChannel[] {stream.client(), fresh.client(), plain.client(), unix.client()}) {
        assertThat(Bytes.read(channel, 1)).isEqualTo("x");
      }
      assertThat(datagram.receive(ByteBuffer.allocate(9))).isNotNull();
      assertThat(Bytes.read(pipe.source(), 1)).isEqualTo("x");
      listener.accept().close();
      caller.close();
    }
  }

  @Test
  void eachKindOfChannelWakesASleepingSelector(@TempDir Path directory) throws Exception {
    Selector selector = net().selector();
    Pair stream = net().settledPair();
    Pair plain = net().pair(carrier().stock(), carrier().stock());
    Pair unix = unixPair(directory);
    Pipe pipe = provider().openPipe();
    net().closing(pipe.source());
    net().closing(pipe.sink());
    register(selector, stream.client(), OP_READ, "stream");
    register(selector, plain.client(), OP_READ, "plain");
    register(selector, unix.client(), OP_READ, "unix");
    register(selector, pipe.source(), OP_READ, "pipe");

    assertWakes(selector, "stream", () -> Bytes.write(stream.server(), "x"));
    Bytes.read(stream.client(), 1);
    assertWakes(selector, "plain", () -> Bytes.write(plain.server(), "x"));
    Bytes.read(plain.client(), 1);
    assertWakes(selector, "unix", () -> Bytes.write(unix.server(), "x"));
    Bytes.read(unix.client(), 1);
    assertWakes(selector, "pipe", () -> Bytes.write(pipe.sink(), "x"));
    Bytes.read(pipe.source(), 1);
    assertWakes(selector, "stream", () -> Bytes.write(stream.server(), "x"));
  }

  @Test
  void otherChannelsHaveTheUsualKeys(@TempDir Path directory) throws Exception {
    Selector selector = net().selector();
    Pair unix = unixPair(directory);
    unix.client().configureBlocking(false);
    SelectionKey key = unix.client().register(selector, OP_WRITE, "first");

    assertThat(key.channel()).isSameAs(unix.client());
    assertThat(key.selector()).isSameAs(selector);
    assertThat(unix.client().keyFor(selector)).isSameAs(key);
    assertThat(unix.client().register(selector, OP_READ, "second")).isSameAs(key);
    assertThat(key.attachment()).isEqualTo("second");
    assertThat(selector.selectNow()).isZero();
    key.interestOpsOr(OP_WRITE);
    assertThat(selector.select(LONG_MILLIS)).isEqualTo(1);
    assertThat(key.readyOps()).isEqualTo(OP_WRITE);

    key.cancel();
    assertThat(selector.keys()).containsExactly(key);
    selector.selectNow();
    assertThat(selector.keys()).isEmpty();
    assertThat(unix.client().isRegistered()).isFalse();
    unix.client().configureBlocking(true);
    Bytes.exchange(unix.server(), unix.client(), "blocking again");

    unix.client().configureBlocking(false);
    SelectionKey last = unix.client().register(selector, OP_READ);
    unix.client().close();
    assertThat(last.isValid()).isFalse();
    selector.selectNow();
    assertThat(selector.keys()).isEmpty();
  }

  private SelectorProvider provider() {
    return carrier().provider();
  }

  private Pair unixPair(Path directory) throws Exception {
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("s"));
    try (ServerSocketChannel listener = provider().openServerSocketChannel(UNIX)) {
      listener.bind(address);
      SocketChannel client = net().closing(provider().openSocketChannel(UNIX));
      client.connect(address);
      return new Pair(client, net().closing(listener.accept()));
    }
  }

  private static void register(
      Selector selector, SelectableChannel channel, int interest, String name) throws Exception {
    channel.configureBlocking(false);
    channel.register(selector, interest, name);
  }

  private static void assertReported(Selector selector, String... names) throws Exception {
    Set<Object> reported = new TreeSet<>();
    long deadline = System.nanoTime() + LONG_MILLIS * 1_000_000;
    while (reported.size() < names.length && System.nanoTime() < deadline) {
      selector.select(key -> reported.add(key.attachment()), LONG_MILLIS);
    }
    assertThat(reported).containsExactlyInAnyOrder((Object[]) names);
  }

  private static void assertWakes(Selector selector, String name, Background.Action write)
      throws Exception {
    Background<Integer> select = Background.call(() -> selector.select()).awaitBlocked();
    Background<@Nullable Void> writer = Background.run(write);
    assertThat(select.result()).isEqualTo(1);
    writer.result();
    assertThat(selector.selectedKeys())
        .singleElement()
        .extracting(SelectionKey::attachment)
        .isEqualTo(name);
    selector.selectedKeys().clear();
  }
}
