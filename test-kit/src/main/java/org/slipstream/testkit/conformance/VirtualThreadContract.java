package org.slipstream.testkit.conformance;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Tape;
import org.slipstream.testkit.ThreadKind;

/** Many virtual threads block at once, and none of them holds a carrier thread while it waits. */
public abstract class VirtualThreadContract extends NioContract {

  /** More than there are carrier threads: if waiting for a ring held one, all would be held. */
  private static final int SETTLED = 40;

  /** Nothing is opened yet. */
  protected VirtualThreadContract() {}

  @Test
  void fiveHundredThreadsBlockInReadsOfTheirOwnStreams() throws Exception {
    List<Pair> pairs = pairs(500);
    List<Background<String>> readers = new ArrayList<>();
    for (Pair pair : pairs) {
      readers.add(Background.call(ThreadKind.VIRTUAL, () -> Bytes.read(pair.server(), 4)));
    }
    readers.getFirst().awaitBlocked();
    readers.getLast().awaitBlocked();

    assertCarriersAreFree();
    for (Pair pair : pairs) {
      Bytes.write(pair.client(), "wake");
    }

    for (Background<String> reader : readers) {
      assertThat(reader.result()).isEqualTo("wake");
    }
  }

  @Test
  void twelveThreadsBlockInWritesOfTheirOwnStreams() throws Exception {
    List<Pair> pairs = pairs(12);
    List<Background<@Nullable Void>> writers = new ArrayList<>();
    long volume = 5_000_000;
    for (int i = 0; i < pairs.size(); i++) {
      Pair pair = pairs.get(i);
      Tape tape = new Tape(i);
      writers.add(
          Background.run(ThreadKind.VIRTUAL, () -> Bytes.writeTape(pair.client(), tape, volume)));
    }
    for (Background<@Nullable Void> writer : writers) {
      writer.awaitBlocked();
    }

    assertCarriersAreFree();

    List<Background<@Nullable Void>> readers = new ArrayList<>();
    for (int i = 0; i < writers.size(); i++) {
      Pair pair = pairs.get(i);
      Tape tape = new Tape(i);
      readers.add(
          Background.run(ThreadKind.VIRTUAL, () -> Bytes.readTape(pair.server(), tape, volume)));
    }
    for (Background<@Nullable Void> worker : readers) {
      worker.result();
    }
  }

  @Test
  void twoHundredThreadsBlockInTheirOwnSelectors() throws Exception {
    List<Pair> pairs = pairs(200);
    List<Background<String>> selecting = new ArrayList<>();
    for (Pair pair : pairs) {
      pair.server().configureBlocking(false);
      Selector selector = net().selector();
      pair.server().register(selector, OP_READ);
      selecting.add(
          Background.call(
              ThreadKind.VIRTUAL,
              () -> {
                assertThat(selector.select()).isEqualTo(1);
                return Bytes.read(pair.server(), 4);
              }));
    }
    selecting.getFirst().awaitBlocked();
    selecting.getLast().awaitBlocked();

    assertCarriersAreFree();
    for (Pair pair : pairs) {
      Bytes.write(pair.client(), "wake");
    }

    for (Background<String> thread : selecting) {
      assertThat(thread.result()).isEqualTo("wake");
    }
  }

  @Test
  void fiftyThreadsBlockInAccept() throws Exception {
    List<ServerSocketChannel> listeners = new ArrayList<>();
    List<Background<SocketChannel>> acceptors = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      ServerSocketChannel listener = net().listen();
      listeners.add(listener);
      acceptors.add(Background.call(ThreadKind.VIRTUAL, listener::accept));
    }
    acceptors.getLast().awaitBlocked();

    assertCarriersAreFree();

    for (int i = 0; i < 50; i++) {
      SocketChannel client = net().connect(listeners.get(i));
      SocketChannel server = net().closing(acceptors.get(i).result());
      assertThat(server.getRemoteAddress()).isEqualTo(client.getLocalAddress());
    }
  }

  @Test
  void settledStreamsPlayPingPongOnVirtualThreads() throws Exception {
    List<Background<@Nullable Void>> players = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Pair pair = net().settledPair();
      players.add(Background.run(ThreadKind.VIRTUAL, () -> serve(pair.client(), 300)));
      players.add(Background.run(ThreadKind.VIRTUAL, () -> returnAll(pair.server(), 300)));
    }

    for (Background<@Nullable Void> player : players) {
      player.result();
    }
  }

  @Test
  void aServerWithAThreadForEachConnectionAnswersAHundredClients() throws Exception {
    ServerSocketChannel listener = net().openServer().bind(Network.anyPort(), 200);
    Background<@Nullable Void> acceptor =
        Background.run(
            ThreadKind.VIRTUAL,
            () -> {
              for (int i = 0; i < 100; i++) {
                SocketChannel server = net().closing(listener.accept());
                Background.run(ThreadKind.VIRTUAL, () -> returnAll(server, 30));
              }
            });
    List<Background<@Nullable Void>> clients = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      clients.add(
          Background.run(
              ThreadKind.VIRTUAL,
              () -> {
                SocketChannel client = net().connect(listener);
                serve(client, 30);
                client.close();
              }));
    }

    acceptor.result();
    for (Background<@Nullable Void> client : clients) {
      client.result();
    }
  }

  @Test
  void aVirtualReaderAndAPlatformWriterShareAStream() throws Exception {
    Pair pair = net().settledPair();
    int volume = 2_000_000;
    Background<@Nullable Void> virtualReader =
        Background.run(
            ThreadKind.VIRTUAL, () -> Bytes.readTape(pair.client(), new Tape(1), volume));
    Background<@Nullable Void> platformWriter =
        Background.run(
            ThreadKind.PLATFORM, () -> Bytes.writeTape(pair.client(), new Tape(2), volume));
    Background<@Nullable Void> virtualWriter =
        Background.run(
            ThreadKind.VIRTUAL, () -> Bytes.writeTape(pair.server(), new Tape(1), volume));

    Bytes.readTape(pair.server(), new Tape(2), volume);

    virtualReader.result();
    platformWriter.result();
    virtualWriter.result();
    Background<String> after = Background.call(() -> Bytes.read(pair.client(), 5)).awaitBlocked();
    Bytes.write(pair.server(), "plain");
    assertThat(after.result()).isEqualTo("plain");
  }

  /** The first ones are carried by the carrier, the others are fresh. */
  private List<Pair> pairs(int count) throws IOException {
    ServerSocketChannel listener = net().listen();
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Pair pair = net().pair(listener);
      pairs.add(i < SETTLED ? net().settle(pair) : pair);
    }
    return pairs;
  }

  private static void assertCarriersAreFree() throws InterruptedException {
    List<Background<String>> probes = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      probes.add(
          Background.call(
              ThreadKind.VIRTUAL,
              () -> {
                Thread.sleep(1);
                return "free";
              }));
    }
    for (Background<String> probe : probes) {
      assertThat(probe.result()).isEqualTo("free");
    }
  }

  private static void serve(SocketChannel channel, int rounds) throws IOException {
    for (int i = 0; i < rounds; i++) {
      Bytes.write(channel, "ball %05d".formatted(i));
      assertThat(Bytes.read(channel, 10)).isEqualTo("ball %05d".formatted(i));
    }
  }

  private static void returnAll(SocketChannel channel, int rounds) throws IOException {
    ByteBuffer ball = ByteBuffer.allocate(10);
    for (int i = 0; i < rounds; i++) {
      Bytes.read(channel, ball.clear());
      Bytes.write(channel, ball.flip());
    }
  }
}
