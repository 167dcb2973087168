package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Seed;
import org.slipstream.testkit.Tape;

/** Every byte arrives, once, in order, whatever its size and direction. */
public abstract class TransferContract extends NioContract {

  private static final int MIB = 1024 * 1024;

  @RegisterExtension final Seed seeds = new Seed();

  /** Nothing is opened yet. */
  protected TransferContract() {}

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 63, 64, 65, 88, 89, 255, 4096, 65_535, 65_537, MIB, 5 * MIB + 3})
  void bothDirectionsAtOnceInBlockingMode(int size) throws Exception {
    Pair pair = net().settledPair();

    List<Background<@Nullable Void>> workers =
        List.of(
            Background.run(() -> Bytes.writeTape(pair.client(), new Tape(1), size)),
            Background.run(() -> Bytes.writeTape(pair.server(), new Tape(2), size)),
            Background.run(() -> Bytes.readTape(pair.server(), new Tape(1), size)),
            Background.run(() -> Bytes.readTape(pair.client(), new Tape(2), size)));

    for (Background<@Nullable Void> worker : workers) {
      worker.result();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 64, 4096, 65_537, 5 * MIB + 3})
  void bothDirectionsAtOnceInOneThreadWithASelector(int size) throws Exception {
    Pair pair = net().settledNonBlockingPair();
    Selector selector = net().selector();
    Duplex client = new Duplex(1, 2, size);
    Duplex server = new Duplex(2, 1, size);
    int both = SelectionKey.OP_READ | SelectionKey.OP_WRITE;
    pair.client().register(selector, both, client);
    pair.server().register(selector, both, server);

    while (!client.isDone() || !server.isDone()) {
      int n =
          selector.select(
              key -> ((Duplex) key.attachment()).step(key), Patience.DEADLINE.toMillis());
      assertThat(n).as("ready streams").isPositive();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {64 * 1024, 256 * 1024, 512 * 1024, MIB})
  void bothSidesMayWriteBeforeEitherReadsInOneBlockingThread(int size) throws Exception {
    Pair pair = net().settledPair();

    Bytes.writeTape(pair.client(), new Tape(1), size);
    Bytes.writeTape(pair.server(), new Tape(2), size);

    Bytes.readTape(pair.server(), new Tape(1), size);
    Bytes.readTape(pair.client(), new Tape(2), size);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void randomSizesInBothDirections(boolean settled) throws Exception {
    long seed = seeds.value();
    Pair pair = settled ? net().settledPair() : net().freshPair();
    int size = 8 * MIB;

    List<Background<@Nullable Void>> workers =
        List.of(
            Background.run(() -> writeRandomly(pair.client(), seed, size)),
            Background.run(() -> writeRandomly(pair.server(), seed + 1, size)),
            Background.run(() -> readRandomly(pair.server(), seed, size)),
            Background.run(() -> readRandomly(pair.client(), seed + 1, size)));

    for (Background<@Nullable Void> worker : workers) {
      worker.result();
    }
  }

  @Test
  void everySizeUpToThreeHundredGoesToAndFroInOneThread() throws Exception {
    Pair pair = net().settledPair();
    Tape sent = new Tape(9);
    Tape received = new Tape(9);

    for (int size = 1; size <= 300; size++) {
      Bytes.write(pair.client(), sent.next(size));
      Bytes.readTape(pair.server(), received, size);
      Bytes.write(pair.server(), sent.next(size));
      Bytes.readTape(pair.client(), received, size);
    }
  }

  @Test
  void manySmallWritesCanBeReadAtOnceAndOneLargeWriteBytewise() throws Exception {
    Pair pair = net().settledPair();
    Tape sent = new Tape(10);
    for (int i = 0; i < 5000; i++) {
      Bytes.write(pair.client(), sent.next(3));
    }

    Bytes.readTape(pair.server(), new Tape(10), 15_000);

    Bytes.writeTape(pair.client(), new Tape(11), 15_000);
    Tape expected = new Tape(11);
    for (int i = 0; i < 15_000; i++) {
      Bytes.readTape(pair.server(), expected, 1);
    }
  }

  @Test
  void aStreamThatIsBusyFromItsFirstByteIsSoonCarriedByTheCarrier() throws Exception {
    Pair pair = net().freshPair();
    Tape sent = new Tape(12);
    Tape received = new Tape(12);
    long deadline = System.nanoTime() + Background.DEADLINE.toNanos();

    for (int i = 0; i < 2000 || !isCarried(pair); i++) {
      Bytes.write(pair.client(), sent.next(50));
      Bytes.readTape(pair.server(), received, 50);
      Bytes.write(pair.server(), sent.next(500));
      Bytes.readTape(pair.client(), received, 500);
      if (System.nanoTime() > deadline) {
        break;
      }
    }

    carrier().assertCarried(pair.client(), pair.server());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void oneSideMayOnlyWriteAndTheOtherOnlyRead(boolean clientWrites) throws Exception {
    Pair pair = net().freshPair();
    SocketChannel from = clientWrites ? pair.client() : pair.server();
    SocketChannel to = clientWrites ? pair.server() : pair.client();

    Background<@Nullable Void> publisher = Background.run(() -> writeRandomly(from, 13, 6L * MIB));

    Bytes.readTape(to, new Tape(13), 6L * MIB);
    publisher.result();
  }

  @Test
  void fiftyStreamsDoNotMixTheirBytes() throws Exception {
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      pairs.add(net().freshPair());
    }

    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < pairs.size(); i++) {
        Bytes.writeTape(pairs.get(i).client(), new Tape(i * 1000 + round), 700 + i);
        Bytes.writeTape(pairs.get(i).server(), new Tape(-i * 1000 - round), 300 + i);
      }
      for (int i = pairs.size() - 1; i >= 0; i--) {
        Bytes.readTape(pairs.get(i).server(), new Tape(i * 1000 + round), 700 + i);
        Bytes.readTape(pairs.get(i).client(), new Tape(-i * 1000 - round), 300 + i);
      }
    }
  }

  @Test
  void twoHundredShortConnectionsInARowWork() throws Exception {
    ServerSocketChannel listener = net().listen();

    for (int i = 0; i < 200; i++) {
      SocketChannel client = carrier().provider().openSocketChannel();
      client.connect(listener.getLocalAddress());
      SocketChannel server = listener.accept();
      try (client;
          server) {
        Bytes.exchange(client, server, "request " + i);
        Bytes.exchange(server, client, "response " + i);
        client.close();
        assertThat(Bytes.readOne(server)).isEqualTo(-1);
      }
    }
  }

  private boolean isCarried(Pair pair) {
    try {
      carrier().assertCarried(pair.client(), pair.server());
      return true;
    } catch (AssertionError notYet) {
      return false;
    }
  }

  private static void writeRandomly(SocketChannel to, long seed, long length) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    Tape tape = new Tape(seed);
    for (long left = length; left > 0; ) {
      int size = (int) Math.min(left, randomSize(random));
      Bytes.write(to, tape.next(size));
      left -= size;
    }
  }

  private static void readRandomly(SocketChannel from, long seed, long length) throws IOException {
    SplittableRandom random = new SplittableRandom(~seed);
    Tape tape = new Tape(seed);
    for (long left = length; left > 0; ) {
      int size = (int) Math.min(left, randomSize(random));
      Bytes.readTape(from, tape, size);
      left -= size;
    }
  }

  private static int randomSize(SplittableRandom random) {
    return random.nextInt(1, 1 << random.nextInt(1, 19));
  }

  /** One end that writes a tape and verifies another, as far as it goes without blocking. */
  private static final class Duplex {
    private final Tape outbound;
    private final Tape inbound;
    private final ByteBuffer out = ByteBuffer.allocateDirect(40_000).flip();
    private final ByteBuffer in = ByteBuffer.allocate(50_000);
    private long toWrite;
    private long toRead;

    Duplex(long outboundSeed, long inboundSeed, long length) {
      this.outbound = new Tape(outboundSeed);
      this.inbound = new Tape(inboundSeed);
      this.toWrite = length;
      this.toRead = length;
    }

    boolean isDone() {
      return toWrite == 0 && toRead == 0;
    }

    void step(SelectionKey key) {
      try {
        SocketChannel channel = (SocketChannel) key.channel();
        if (key.isReadable()) {
          toRead -= Math.max(0, channel.read(in.clear()));
          inbound.verify(in.flip());
        }
        if (key.isWritable() && toWrite > 0) {
          toWrite -= write(channel);
        }
        key.interestOps(
            (toRead > 0 ? SelectionKey.OP_READ : 0) | (toWrite > 0 ? SelectionKey.OP_WRITE : 0));
      } catch (IOException e) {
        throw new AssertionError("A stream failed", e);
      }
    }

    private int write(SocketChannel channel) throws IOException {
      if (!out.hasRemaining()) {
        out.clear().limit((int) Math.min(out.capacity(), toWrite));
        outbound.fill(out);
        out.flip();
      }
      return channel.write(out);
    }
  }
}
