package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;

/**
 * A process of the same user connects to the control socket of a healthy one and misbehaves: it is
 * shown out, and no other stream notices. The bytes are written out here, so that the wire can not
 * change unnoticed.
 */
class HostilePeerIT {
  private static final int MAGIC = 0x534C4950;
  private static final int VERSION = 4;
  private static final byte HELLO = 0;
  private static final byte SLAB = 1;
  private static final byte MAPPED = 2;
  private static final byte FRAME = 3;
  private static final byte ASK = 4;
  private static final byte ANSWER = 5;

  // Frames.
  private static final int OFFER = 1;
  private static final int ACCEPT = 2;
  private static final int REFUSE = 3;
  private static final int WITHDRAW = 4;
  private static final int CLOSED = 5;
  private static final int CREDIT = 6;
  private static final int REVOKE = 7;
  private static final int SEEK = 11;
  private static final int FOUND = 12;
  private static final int CLAIM = 13;

  @RegisterExtension final Children children = new Children();

  private final List<SocketChannel> open = new ArrayList<>();
  private Peer server;
  private Peer client;
  private List<Path> sockets;
  private Census serverBefore;

  @BeforeEach
  void twoHealthyProcesses() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    server = pair.get(0);
    client = pair.get(1);
    client.ask("connect c " + server.echo("l"));
    children.upgrade(client, "c");
    sockets =
        Census.files(children.directory()).stream()
            .filter(p -> p.getFileName().toString().equals("ctl"))
            .toList();
    assertThat(sockets).hasSize(2);
    serverBefore = children.census(server);
  }

  @AfterEach
  void close() throws IOException {
    for (SocketChannel channel : open) {
      channel.close();
    }
  }

  @Test
  void garbageInsteadOfAHandshake() throws Exception {
    Random random = new Random(1);
    for (int i = 0; i < 20; i++) {
      byte[] garbage = new byte[1 + random.nextInt(5_000)];
      random.nextBytes(garbage);
      garbage[0] |= (byte) 0x80; // no length that a reader would wait for
      for (SocketChannel channel : connect()) {
        sendQuietly(channel, ByteBuffer.wrap(garbage.length < 5 ? new byte[100] : garbage));
        assertShownOut(channel);
      }
    }
    assertHealthy();
  }

  @Test
  void aHandshakeOfAnotherVersionOrMagic() throws Exception {
    for (SocketChannel channel : connect()) {
      sendQuietly(channel, message(HELLO, hello(MAGIC, 99, 1)));
      assertShownOut(channel);
    }
    for (SocketChannel channel : connect()) {
      sendQuietly(channel, message(HELLO, hello(0x12345678, 1, 1)));
      assertShownOut(channel);
    }
    for (SocketChannel channel : connect()) {
      sendQuietly(channel, message(HELLO, ByteBuffer.allocate(3)));
      assertShownOut(channel);
    }
    assertHealthy();
  }

  @Test
  void oversizedAndNegativeLengths() throws Exception {
    for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 20, 5_000}) {
      for (SocketChannel channel : connect()) {
        sendQuietly(channel, ByteBuffer.allocate(5).putInt(length).put(HELLO).flip());
        assertShownOut(channel);
      }
    }
    assertHealthy();
  }

  @Test
  void truncatedMessagesAndThenSilence() throws Exception {
    for (int i = 0; i < 5; i++) {
      for (SocketChannel channel : connect()) {
        sendQuietly(channel, message(HELLO, hello(MAGIC, VERSION, i)).limit(5 + i));
      }
    }
    assertStreamsWork(); // while they are all open
    close();
    assertHealthy();
  }

  @Test
  void nonsenseBehindAGoodHandshakeEndsTheSession() throws Exception {
    List<ByteBuffer> nonsense =
        List.of(
            message(ASK, ByteBuffer.wrap(new byte[] {'x'})),
            message(HELLO, hello(MAGIC, VERSION, 3)),
            message(ANSWER, ByteBuffer.allocate(10)),
            message((byte) 77, ByteBuffer.allocate(10)),
            message(SLAB, ByteBuffer.allocate(3)),
            message(SLAB, ByteBuffer.allocate(13)),
            message(SLAB, slab(-1, 64, 65536)),
            message(MAPPED, ByteBuffer.allocate(4)),
            message(MAPPED, ByteBuffer.allocate(5)),
            message(MAPPED, ByteBuffer.allocate(5).putInt(12345).rewind()),
            message(FRAME, ByteBuffer.allocate(0)),
            message(FRAME, ByteBuffer.allocate(5)),
            message(FRAME, frame(0, 9)),
            message(FRAME, frame(99, 9)),
            message(FRAME, frame(OFFER, 9 + 43)), // a byte is missing
            message(FRAME, frame(ACCEPT, 9 + 8 + 15)),
            message(FRAME, frame(REFUSE, 9)),
            message(FRAME, frame(SEEK, 9 + 1)),
            message(FRAME, frame(FOUND, 9 + 51)),
            message(FRAME, frame(CLAIM, 9 + 4 + 43)));
    for (int i = 0; i < nonsense.size(); i++) {
      for (SocketChannel channel : connect()) {
        sendQuietly(channel, message(HELLO, hello(MAGIC, VERSION, 1000 + i)));
        sendQuietly(channel, nonsense.get(i).duplicate());
        assertShownOut(channel, "message " + i);
      }
      assertStreamsWork();
    }
    assertHealthy();
  }

  @Test
  void whatMayHaveCrossedAnEndAndSlabsThatCanNotBeMappedEndNoSession() throws Exception {
    List<ByteBuffer> harmless =
        List.of(
            message(SLAB, slab(0, -1, 65536)),
            message(SLAB, slab(0, Integer.MAX_VALUE, Integer.MAX_VALUE)),
            message(SLAB, slab(0, 0, 0)),
            message(SLAB, slab(0, 64, 65536)), // of which there is no file
            message(FRAME, frame(OFFER, 9 + 44)), // for a connection that there is not
            message(FRAME, frame(ACCEPT, 9 + 8 + 16)),
            message(FRAME, frame(REFUSE, 10)),
            message(FRAME, frame(WITHDRAW, 9)),
            message(FRAME, frame(CLOSED, 9)),
            message(FRAME, frame(CREDIT, 9)),
            message(FRAME, frame(REVOKE, 9)),
            message(FRAME, frame(SEEK, 9 + 2)),
            message(FRAME, frame(FOUND, 9 + 8 * 52)),
            message(FRAME, frame(CLAIM, 9 + 4 + 44)));
    for (int i = 0; i < harmless.size(); i++) {
      for (SocketChannel channel : connect()) {
        sendQuietly(channel, message(HELLO, hello(MAGIC, VERSION, 2000 + i)));
        sendQuietly(channel, harmless.get(i).duplicate());
        assertStillServed(channel, "message " + i);
      }
      assertStreamsWork();
    }
    close();
    assertHealthy();
  }

  @Test
  void framesAboutStreamsOfOthersAreIgnored() throws Exception {
    for (SocketChannel channel : connect()) {
      sendQuietly(channel, message(HELLO, hello(MAGIC, VERSION, 7)));
      for (int type = 2; type <= 7; type++) {
        for (long id = 0; id < 200; id++) {
          sendQuietly(
              channel,
              message(
                  FRAME,
                  ByteBuffer.allocate(64).put((byte) type).putLong(id).rewind().slice(0, 64)));
        }
      }
    }
    assertStreamsWork();
    close();
    assertHealthy();
  }

  @Test
  void randomFramesAfterAGoodHandshake() throws Exception {
    Random random = new Random(2);
    for (int i = 0; i < 100; i++) {
      for (SocketChannel channel : connect()) {
        sendQuietly(channel, message(HELLO, hello(MAGIC, VERSION, 5000 + i)));
        for (int j = 0; j < 20; j++) {
          byte[] body = new byte[random.nextInt(200)];
          random.nextBytes(body);
          if (body.length > 0) {
            body[0] = (byte) random.nextInt(9);
          }
          sendQuietly(channel, message((byte) (1 + random.nextInt(3)), ByteBuffer.wrap(body)));
        }
        channel.close();
      }
    }
    assertHealthy();
  }

  @Test
  void aPeerThatClaimsToBeAnotherProcess() throws Exception {
    // The name of a process is the first half of its id, and every process of this user can read
    // it.
    for (int i = 0; i < 2; i++) {
      String name = sockets.get(i).getParent().getFileName().toString();
      long high = Long.parseUnsignedLong(name, 16);
      SocketChannel channel = connect(sockets.get(1 - i));
      ByteBuffer hello =
          ByteBuffer.allocate(30)
              .putInt(MAGIC)
              .putShort((short) VERSION)
              .putLong(high)
              .putLong(0)
              .putLong(network())
              .flip();
      sendQuietly(channel, message(HELLO, hello));
      channel.close();
    }
    assertHealthy();
    client.ask("connect d " + server.echo("m"));
    children.upgrade(client, "d");
  }

  // -- the wire --------------------------------------------------------------------------------

  private List<SocketChannel> connect() throws IOException {
    return List.of(connect(sockets.get(0)), connect(sockets.get(1)));
  }

  private SocketChannel connect(Path socket) throws IOException {
    SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
    open.add(channel);
    return channel;
  }

  private static ByteBuffer message(byte kind, ByteBuffer body) {
    return ByteBuffer.allocate(5 + body.remaining())
        .putInt(body.remaining())
        .put(kind)
        .put(body)
        .flip();
  }

  /** Ours: a peer of another network has to prove its path. */
  private static long network() throws IOException {
    String link = Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString();
    return Long.parseLong(link.replaceAll("[^0-9]", ""));
  }

  private static ByteBuffer hello(int magic, int version, long id) throws IOException {
    return ByteBuffer.allocate(30)
        .putInt(magic)
        .putShort((short) version)
        .putLong(0x4242424242424242L)
        .putLong(id)
        .putLong(network())
        .flip();
  }

  private static ByteBuffer slab(int index, int slots, int ringBytes) {
    return ByteBuffer.allocate(12).putInt(index).putInt(slots).putInt(ringBytes).flip();
  }

  private static ByteBuffer frame(int type, int length) {
    return ByteBuffer.allocate(length).put((byte) type).rewind();
  }

  private static void sendQuietly(SocketChannel channel, ByteBuffer bytes) {
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      return; // shown out already
    }
  }

  private static void assertShownOut(SocketChannel channel) throws Exception {
    assertShownOut(channel, "what was sent");
  }

  private static void assertShownOut(SocketChannel channel, String what) throws Exception {
    channel.configureBlocking(false);
    Children.soon().alias("shown out after " + what).until(() -> isAtEnd(channel));
  }

  /** A peer that was refused gets no answer any more; this one asks for a slab to be mapped. */
  private static void assertStillServed(SocketChannel channel, String what) throws Exception {
    int index = 7;
    sendQuietly(channel, message(SLAB, slab(index, 0, 0)));
    ByteBuffer answer = message(MAPPED, ByteBuffer.allocate(5).putInt(index).rewind());
    channel.configureBlocking(false);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    Children.soon()
        .alias("served after " + what)
        .until(() -> {
          ByteBuffer some = ByteBuffer.allocate(4096);
          assertThat(channel.read(some)).as(what).isNotNegative();
          all.write(some.array(), 0, some.position());
          byte[] got = all.toByteArray();
          int from = got.length - answer.capacity();
          return from >= 0
              && Arrays.equals(answer.array(), Arrays.copyOfRange(got, from, got.length));
        });
  }

  private static boolean isAtEnd(SocketChannel channel) {
    ByteBuffer buffer = ByteBuffer.allocate(4096);
    try {
      int n;
      do {
        n = channel.read(buffer.clear());
      } while (n > 0);
      return n < 0;
    } catch (IOException e) {
      return true;
    }
  }

  // -- the health ------------------------------------------------------------------------------

  private void assertStreamsWork() throws Exception {
    long before = children.stream(client).ringOut();
    client.ask("exchange c 20 2000 1", Patience.DEADLINE);
    assertThat(children.stream(client).ringOut()).isGreaterThan(before);
  }

  private void assertHealthy() throws Exception {
    assertStreamsWork();
    children.awaitCensus(server, serverBefore);
    client.ask("connect healthy " + server.echo("healthy"));
    client.ask("exchange healthy 20 2000 1");
    children.upgrade(client, "healthy");
  }
}
