package org.slipstream.rdma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.provider.nio.Installation;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/**
 * A peer that upgrades its connection as it should, and then writes what it likes into the window
 * that it was given: it ends its own stream, and no other one notices. The bytes of its frames are
 * written out here. Runs inside the guest.
 */
public class RdmaGarbageRow {
  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final byte OFFER = 1;
  private static final byte ACCEPT = 2;

  /** Offsets in the control block. */
  private static final int SWITCH_AT = 128;

  private static final int WORDS = 20;

  /** Epoch 1, after no raw byte. */
  private static final long SWITCH_AT_ONCE = 1 << 8 | 1;

  private final SlipstreamCarrier server = carrier();
  private final SlipstreamCarrier client = carrier();
  private final Network network = new Network(server);
  private ServerSocketChannel listener;
  private Pair honest;

  private static SlipstreamCarrier carrier() {
    return new SlipstreamCarrier("rdma", new Properties(), List.of(new RdmaTransport()));
  }

  @BeforeEach
  void connectAnHonestPair() throws Exception {
    listener = network.listen(server.provider());
    SocketChannel connected = network.closing(client.provider().openSocketChannel());
    connected.connect(listener.getLocalAddress());
    honest = new Pair(connected, network.closing(listener.accept()));
    server.settle(honest.client(), honest.server());
  }

  @AfterEach
  void close() {
    network.close();
    server.core().stop();
    client.core().stop();
  }

  /** A process that speaks the protocol as far as it likes. */
  private final class UnprovenPeer implements AutoCloseable {
    private final TestHost host = new TestHost();
    private final RdmaEndpoint endpoint =
        new RdmaEndpoint(host, RdmaSettings.read(new Properties()));
    final SocketChannel tcp;
    final SocketChannel accepted;
    final Link link;

    /** Its outgoing direction is on the link when this returns, as far as it is concerned. */
    UnprovenPeer() throws Exception {
      InetSocketAddress address = (InetSocketAddress) listener.getLocalAddress();
      tcp = SocketChannel.open(address);
      accepted = network.closing(listener.accept());
      Session session = host.find(endpoint, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
      Window window = host.onReactor(session::allocateWindow);
      session.send(offer(window, (InetSocketAddress) tcp.getLocalAddress(), address));
      await().until(() -> host.frames.stream().anyMatch(f -> f[0] == ACCEPT));
      ByteBuffer accept =
          ByteBuffer.wrap(host.frames.stream().filter(f -> f[0] == ACCEPT).findAny().orElseThrow());
      byte[] nonce = new byte[16];
      accept.position(1 + 2 * Long.BYTES).get(nonce);
      link = host.onReactor(() -> session.join(window, accept));
      link.publish(SWITCH_AT, SWITCH_AT_ONCE);
      link.flush();
      tcp.write(ByteBuffer.wrap(nonce));
    }

    private ByteBuffer offer(Window window, InetSocketAddress from, InetSocketAddress to) {
      ByteBuffer frame = ByteBuffer.allocate(Session.MAX_FRAME_BYTES).put(OFFER).putLong(1);
      for (InetSocketAddress end : List.of(from, to)) {
        frame.putLong(0).putInt(0xFFFF).put(end.getAddress().getAddress());
        frame.putShort((short) end.getPort()).putInt(0);
      }
      window.descriptor(frame);
      return frame.flip();
    }

    @Override
    public void close() throws IOException {
      tcp.close();
      endpoint.close();
      host.close();
    }
  }

  /** Reads what there is until the stream ends; what it ends with. */
  private static String end(SocketChannel channel) throws Exception {
    channel.configureBlocking(false);
    ByteBuffer buffer = ByteBuffer.allocate(4096);
    long deadline = System.nanoTime() + Patience.DEADLINE.toNanos();
    try {
      while (channel.read(buffer.clear()) >= 0) {
        assertThat(System.nanoTime() - deadline).as("still open").isNegative();
        Thread.sleep(1);
      }
      return "end of stream";
    } catch (IOException e) {
      return e.getClass().getSimpleName();
    }
  }

  private void assertNoOtherSessionNotices() throws IOException {
    long before = ringBytes();
    ByteBuffer bytes = ByteBuffer.allocate(1000);
    for (int i = 0; i < 10; i++) {
      bytes.clear().put(0, (byte) i);
      honest.client().write(bytes);
      bytes.clear();
      while (bytes.hasRemaining()) {
        assertThat(honest.server().read(bytes)).isPositive();
      }
      assertThat(bytes.get(0)).isEqualTo((byte) i);
    }
    assertThat(ringBytes() - before).as("bytes over the ring").isEqualTo(10 * 1000);
  }

  private long ringBytes() {
    return Installation.status(honest.server()).ringBytesIn();
  }

  @Test
  void whatAnHonestPeerWouldWriteArrives() throws Exception {
    try (UnprovenPeer unproven = new UnprovenPeer()) {
      unproven.link.sendRing().set(ValueLayout.JAVA_BYTE, 0, (byte) 77);
      unproven.link.push(0, 1);
      unproven.link.publish(ControlLayout.POSITION, 1);
      unproven.link.flush();
      ByteBuffer one = ByteBuffer.allocate(1);
      unproven.accepted.configureBlocking(false);
      await().until(() -> unproven.accepted.read(one) == 1);
      assertThat(one.get(0)).isEqualTo((byte) 77);
    }
    assertNoOtherSessionNotices();
  }

  @Test
  void aPositionThatCanNotBeEndsItsStreamOnly() throws Exception {
    for (long position : new long[] {1L << 40, -1}) {
      try (UnprovenPeer unproven = new UnprovenPeer()) {
        unproven.link.publish(ControlLayout.POSITION, position);
        assertThat(end(unproven.accepted)).isNotEqualTo("end of stream");
      }
      assertNoOtherSessionNotices();
    }
  }

  /**
   * A self-validating position without its message: the reader that waits for the rest gives the
   * session up.
   */
  @Test
  void halfAMessageEndsItsSessionOnly() throws Exception {
    try (UnprovenPeer unproven = new UnprovenPeer()) {
      unproven.link.publish(ControlLayout.POSITION, Long.MIN_VALUE + 20);
      ByteBuffer some = ByteBuffer.allocate(100);
      unproven.accepted.configureBlocking(false);
      await()
          .atMost(Patience.DEADLINE)
          .until(() -> {
            assertThat(unproven.accepted.read(some)).isZero();
            return !unproven.host.lost.isEmpty();
          });
      unproven.tcp.close();
      assertThat(end(unproven.accepted)).isNotNull();
    }
    assertNoOtherSessionNotices();
  }

  @Test
  void garbageEverywhereEndsItsStreamOnly() throws Exception {
    for (int seed = 0; seed < 4; seed++) {
      Random random = new Random(seed);
      try (UnprovenPeer unproven = new UnprovenPeer()) {
        for (int i = 0; i < unproven.link.sendRing().byteSize(); i++) {
          unproven.link.sendRing().set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
        }
        unproven.link.push(0, unproven.link.sendRing().byteSize());
        for (int word = 1; word < WORDS; word++) {
          if (word * Long.BYTES != SWITCH_AT) {
            if (word * Long.BYTES < ControlLayout.PLAIN_BYTES) {
              unproven.link.sendControl().setAtIndex(WORD, word, random.nextLong());
            } else {
              unproven.link.publish((long) word * Long.BYTES, random.nextLong());
            }
          }
        }
        unproven.link.publish(ControlLayout.POSITION, random.nextInt(1 << 20));
        ByteBuffer some = ByteBuffer.allocate(1000);
        unproven.accepted.configureBlocking(false);
        unproven.accepted.write(some); // it believes nothing of what it is told about credit
        unproven.tcp.close();
        assertThat(end(unproven.accepted)).isNotNull();
      } catch (IOException e) {
        assertThat(e).as("of the write").isNotNull();
      }
      assertNoOtherSessionNotices();
    }
  }
}
