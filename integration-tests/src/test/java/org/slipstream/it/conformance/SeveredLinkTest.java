package org.slipstream.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.provider.nio.Installation;
import org.slipstream.shm.ShmTransport;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Seed;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.Tape;
import org.slipstream.testkit.fault.Faults;
import org.slipstream.testkit.fault.FaultyTransport;

/**
 * Sessions are cut again and again while both ends live and stream in both directions: every byte
 * arrives, once and in order, and the streams come back to a ring.
 */
@Timeout(280)
class SeveredLinkTest {
  private static final int CUTS = 20;
  private static final int LARGEST = 20_000;
  private static final int MAX_GAP_MICROS = 30_000;

  @RegisterExtension final Seed seeds = new Seed();

  /** What a cut costs. */
  enum Medium {
    /** Memory of both: what was stored is there. */
    LOSSLESS,
    /** What was on its way is lost. */
    LOSSY,
    /** Memory of both, and threads never look on before they sleep, on futexes. */
    ASLEEP;

    Faults faults() {
      return this == LOSSY ? new Faults(true, true, false) : Faults.NONE;
    }

    Properties settings() {
      Properties settings = new Properties();
      if (this == ASLEEP) {
        settings.setProperty("slipstream.spin.max", "0");
      }
      return settings;
    }
  }

  /** Two processes' worth of one JVM, and the knife. */
  private static final class Setting implements AutoCloseable {
    final long seed;
    final FaultyTransport transport;
    final SlipstreamCarrier carrier;
    final Network net;
    final Pair pair;
    final SplittableRandom random;

    /** Set when the cuts are over; the writers end with what they are writing. */
    volatile boolean over;

    Setting(Medium medium, long seed) throws IOException {
      this.seed = seed;
      random = new SplittableRandom(seed);
      transport = new FaultyTransport(new ShmTransport(), medium.faults(), seed);
      carrier = new SlipstreamCarrier("severed", medium.settings(), List.of(transport), false);
      net = new Network(carrier);
      pair = net.settledPair();
    }

    /** Cuts at random moments, on the ring and off it. */
    void cutAgainAndAgain() {
      for (int i = 0; i < CUTS; i++) {
        LockSupport.parkNanos(random.nextInt(MAX_GAP_MICROS) * 1_000L);
        transport.sever();
      }
    }

    /**
     * Cuts each time that the stream has come back to the ring.
     *
     * @param threads what reads and writes meanwhile
     */
    void cutWhenAccelerated(Background<?>... threads) {
      for (int i = 0; i < CUTS / 4; i++) {
        await()
            .failFast(() -> Background.requireGoingOn(List.of(threads)))
            .untilAsserted(() -> {
              assertThat(status(pair.client()))
                  .matches(StreamStatus::outOnRing, "client's is on the ring");
              assertThat(status(pair.server()))
                  .matches(StreamStatus::outOnRing, "server's is on the ring");
              LockSupport.parkNanos(random.nextInt(MAX_GAP_MICROS / 10) * 1_000L);
              // None yet: the streams have not noticed the last cut, and are on its ring.
              assertThat(transport.sever()).as("sessions").isPositive();
            });
      }
    }

    @Override
    public void close() {
      over = true;
      net.close();
    }
  }

  private static StreamStatus status(SocketChannel channel) {
    StreamStatus status = Installation.status(channel);
    assertThat(status).isNotNull();
    return status;
  }

  // -- blocking --------------------------------------------------------------------------------

  private static long write(Setting s, SocketChannel to, long seed) throws IOException {
    Tape tape = new Tape(seed);
    SplittableRandom sizes = new SplittableRandom(seed);
    while (!s.over) {
      ByteBuffer piece = tape.next(1 + sizes.nextInt(sizes.nextInt(LARGEST) + 1));
      while (piece.hasRemaining()) {
        to.write(piece);
      }
    }
    to.shutdownOutput();
    return tape.position();
  }

  private static long read(SocketChannel from, long seed) throws IOException {
    Tape tape = new Tape(seed);
    SplittableRandom sizes = new SplittableRandom(seed + 1);
    for (; ; ) {
      ByteBuffer piece = ByteBuffer.allocate(1 + sizes.nextInt(LARGEST));
      if (from.read(piece) < 0) {
        return tape.position();
      }
      tape.verify(piece.flip());
    }
  }

  @ParameterizedTest
  @EnumSource
  void blockingStreamsLoseNothing(Medium medium) throws Exception {
    try (Setting s = new Setting(medium, seeds.value())) {
      Pair p = s.pair;
      Background<Long> up = Background.call(() -> write(s, p.client(), s.seed));
      Background<Long> down = Background.call(() -> write(s, p.server(), ~s.seed));
      Background<Long> upRead = Background.call(() -> read(p.server(), s.seed));
      Background<Long> downRead = Background.call(() -> read(p.client(), ~s.seed));
      s.cutAgainAndAgain();
      s.cutWhenAccelerated(up, down, upRead, downRead);
      s.over = true;
      assertThat(upRead.result()).as("bytes up, seed %d", s.seed).isEqualTo(up.result());
      assertThat(downRead.result()).as("bytes down, seed %d", s.seed).isEqualTo(down.result());
      assertThat(s.transport.severed()).isGreaterThanOrEqualTo(CUTS / 4);
    }
  }

  /**
   * One message under way, whatever is cut: no reader waits for a doorbell that was lost with its
   * link.
   */
  @ParameterizedTest
  @EnumSource
  void pingPongGoesOn(Medium medium) throws Exception {
    try (Setting s = new Setting(medium, seeds.value())) {
      Background<Long> echo =
          Background.call(() -> {
            Tape tape = new Tape(s.seed);
            ByteBuffer ping = ByteBuffer.allocate(64);
            while (s.pair.server().read(ping) >= 0) { // the client says when it is over
              if (!ping.hasRemaining()) {
                tape.verify(ping.flip());
                s.pair.server().write(ping.rewind());
                ping.clear();
              }
            }
            return tape.position();
          });
      Background<Long> pings =
          Background.call(() -> {
            Tape tape = new Tape(s.seed);
            Tape expected = new Tape(s.seed);
            while (!s.over) {
              s.pair.client().write(tape.next(64));
              ByteBuffer pong = ByteBuffer.allocate(64);
              while (pong.hasRemaining() && s.pair.client().read(pong) >= 0) {}
              expected.verify(pong.flip());
            }
            s.pair.client().shutdownOutput();
            return tape.position();
          });
      s.cutAgainAndAgain();
      s.cutWhenAccelerated(echo, pings);
      s.over = true;
      assertThat(pings.result()).isEqualTo(echo.result());
      if (medium == Medium.ASLEEP) {
        assertThat(Objects.requireNonNull(s.carrier.core().doorbells()).futexes().rung())
            .as("doorbells on futexes")
            .isPositive();
      }
    }
  }

  // -- files -----------------------------------------------------------------------------------

  private static final int FILE_BYTES = 1 << 20;

  private static FileChannel file(Setting s) throws IOException {
    Path path = Files.createTempFile("severed", ".bin");
    return s.net.closing(
        FileChannel.open(
            path,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE));
  }

  /** The same file again and again, in pieces of random length. */
  private static long send(Setting s, SocketChannel to, long seed) throws IOException {
    FileChannel file = file(s);
    Bytes.write(file, new Tape(seed).next(FILE_BYTES));
    SplittableRandom sizes = new SplittableRandom(seed);
    long total = 0;
    while (!s.over) {
      long n = file.transferTo(total % FILE_BYTES, 1 + sizes.nextInt(FILE_BYTES), to);
      assertThat(n).isPositive();
      total += n;
    }
    to.shutdownOutput();
    return total;
  }

  private static long receive(Setting s, SocketChannel from, long seed) throws IOException {
    byte[] content = new Tape(seed).next(FILE_BYTES).array();
    FileChannel file = file(s);
    SplittableRandom sizes = new SplittableRandom(seed + 1);
    ByteBuffer got = ByteBuffer.allocate(LARGEST * 10);
    long total = 0;
    for (; ; ) {
      int n = (int) file.transferFrom(from, 0, 1 + sizes.nextInt(got.capacity()));
      if (n == 0) {
        return total;
      }
      Bytes.read(file.position(0), got.clear().limit(n));
      got.flip();
      while (got.hasRemaining()) {
        int at = (int) (total % FILE_BYTES);
        int length = Math.min(got.remaining(), FILE_BYTES - at);
        assertThat(got.slice(got.position(), length))
            .as("bytes from %d on", total)
            .isEqualTo(ByteBuffer.wrap(content, at, length));
        got.position(got.position() + length);
        total += length;
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void filesLoseNothing(Medium medium) throws Exception {
    try (Setting s = new Setting(medium, seeds.value())) {
      Pair p = s.pair;
      Background<Long> up = Background.call(() -> send(s, p.client(), s.seed));
      Background<Long> down = Background.call(() -> send(s, p.server(), ~s.seed));
      Background<Long> upRead = Background.call(() -> receive(s, p.server(), s.seed));
      Background<Long> downRead = Background.call(() -> receive(s, p.client(), ~s.seed));
      s.cutAgainAndAgain();
      s.cutWhenAccelerated(up, down, upRead, downRead);
      s.over = true;
      assertThat(upRead.result()).as("bytes up, seed %d", s.seed).isEqualTo(up.result());
      assertThat(downRead.result()).as("bytes down, seed %d", s.seed).isEqualTo(down.result());
    }
  }

  // -- selectors -------------------------------------------------------------------------------

  /** What a loop has moved. */
  private record Loop(long written, long read) {}

  /** One end in an event loop: writes and reads whenever it can. */
  private static Loop loop(
      Setting s, SocketChannel channel, long writes, long reads, SplittableRandom sizes)
      throws IOException {
    channel.configureBlocking(false);
    Tape out = new Tape(writes);
    Tape in = new Tape(reads);
    ByteBuffer pending = ByteBuffer.allocate(0);
    boolean ended = false;
    boolean finished = false;
    try (Selector selector = s.net.selector()) {
      SelectionKey key = channel.register(selector, SelectionKey.OP_READ | SelectionKey.OP_WRITE);
      while (!ended || !finished) {
        selector.select();
        selector.selectedKeys().clear();
        if (key.isReadable() && !ended) {
          ByteBuffer piece = ByteBuffer.allocate(1 + sizes.nextInt(LARGEST));
          ended = channel.read(piece) < 0;
          in.verify(piece.flip());
        }
        if (key.isWritable() && !finished) {
          if (!pending.hasRemaining() && s.over) {
            channel.shutdownOutput();
            finished = true;
          } else if (!pending.hasRemaining()) {
            pending = out.next(1 + sizes.nextInt(LARGEST));
          }
          if (!finished) {
            channel.write(pending);
          }
        }
        key.interestOps(
            (ended ? 0 : SelectionKey.OP_READ) | (finished ? 0 : SelectionKey.OP_WRITE));
      }
    }
    return new Loop(out.position(), in.position());
  }

  @ParameterizedTest
  @EnumSource
  void eventLoopsLoseNothing(Medium medium) throws Exception {
    try (Setting s = new Setting(medium, seeds.value())) {
      SplittableRandom a = s.random.split();
      SplittableRandom b = s.random.split();
      Background<Loop> client = Background.call(() -> loop(s, s.pair.client(), s.seed, ~s.seed, a));
      Background<Loop> server = Background.call(() -> loop(s, s.pair.server(), ~s.seed, s.seed, b));
      s.cutAgainAndAgain();
      s.cutWhenAccelerated(client, server);
      s.over = true;
      assertThat(server.result().read()).as("up").isEqualTo(client.result().written());
      assertThat(client.result().read()).as("down").isEqualTo(server.result().written());
    }
  }

  /** A stream that is idle when it is cut. */
  @ParameterizedTest
  @EnumSource
  void anIdleStreamIsAsGoodAsNew(Medium medium) throws Exception {
    try (Setting s = new Setting(medium, seeds.value())) {
      for (int i = 0; i < CUTS / 4; i++) {
        String round = "round " + i;
        await()
            .until(() -> {
              Bytes.exchange(s.pair.client(), s.pair.server(), round);
              Bytes.exchange(s.pair.server(), s.pair.client(), round);
              return status(s.pair.client()).isAccelerated()
                  && status(s.pair.server()).isAccelerated()
                  && s.transport.sever() > 0; // the streams may not have noticed the last cut yet
            });
        Bytes.exchange(s.pair.client(), s.pair.server(), "up " + i);
        Bytes.exchange(s.pair.server(), s.pair.client(), "down " + i);
      }
    }
  }
}
