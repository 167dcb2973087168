package org.slipstream.testkit.conformance;

import static java.net.StandardSocketOptions.SO_LINGER;
import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Extent;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Seed;
import org.slipstream.testkit.shape.EveryResetContract;

/**
 * A reset is never mistaken for the end, whatever else happens to the connection at that moment:
 * Linux gives a socket's error to exactly one system call, and that may be one that the program
 * knows nothing of.
 */
public abstract class ResetContract extends NioContract implements EveryResetContract {
  private static final int ROUNDS = Extent.of(120);
  private static final int LENGTH = 1000;

  @RegisterExtension final Seed seeds = new Seed();

  /** Nothing is opened yet. */
  protected ResetContract() {}

  /** The operations of one letter each: read, write, available; and what each of them reports. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "rrwwr; 0; Connection reset, Connection reset, Broken pipe, Broken pipe, Connection reset",
        "wwrr; 0; Connection reset by peer, Broken pipe, -1, -1",
        "wrwr; 0; Connection reset by peer, -1, Broken pipe, -1",
        "arwa; 0; 0, Connection reset, Broken pipe, 0",
        "rrwwr; 3; 3, Connection reset, Broken pipe, Broken pipe, Connection reset",
        "arra; 3; 3, 3, Connection reset, 0",
      })
  void everyOperationReportsWhatItDoesInTheJdk(String operations, int bytes, String reports)
      throws Exception {
    for (Pair pair : new Pair[] {net().settledPair(), net().freshPair()}) {
      if (bytes > 0) {
        pair.server().write(ByteBuffer.allocate(bytes));
        Patience.await().until(() -> available(pair.client()) == bytes);
      }
      Pair.reset(pair.server());
      if (bytes == 0) {
        awaitReadable(pair.client());
      }

      assertThat(report(pair.client(), operations)).isEqualTo(List.of(reports.split(", ")));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "rrwwr; -1, -1, Broken pipe, Broken pipe, -1",
        "wrwr; Broken pipe, -1, Broken pipe, -1"
      })
  void behindTheEndAResetIsABrokenPipe(String operations, String reports) throws Exception {
    for (Pair pair : new Pair[] {net().settledPair(), net().freshPair()}) {
      pair.server().shutdownOutput();
      awaitReadable(pair.client());
      Pair.reset(pair.server());
      Thread.sleep(A_WHILE); // there is nothing that an end does not hide

      assertThat(report(pair.client(), operations)).isEqualTo(List.of(reports.split(", ")));
    }
  }

  private static int available(SocketChannel channel) throws IOException {
    return channel.socket().getInputStream().available();
  }

  /** Waits for the reset without an operation that would report it. */
  private void awaitReadable(SocketChannel channel) throws IOException {
    channel.configureBlocking(false);
    try (Selector selector = carrier().provider().openSelector()) {
      channel.register(selector, OP_READ);
      assertThat(selector.select(Patience.DEADLINE.toMillis())).isEqualTo(1);
    }
    channel.configureBlocking(true);
  }

  private static List<String> report(SocketChannel channel, String operations) {
    List<String> reports = new ArrayList<>();
    for (int i = 0; i < operations.length(); i++) {
      try {
        reports.add(
            String.valueOf(
                switch (operations.charAt(i)) {
                  case 'r' -> channel.read(ByteBuffer.allocate(10));
                  case 'w' -> channel.write(ByteBuffer.allocate(1));
                  default -> available(channel);
                }));
      } catch (IOException e) {
        reports.add(String.valueOf(e.getMessage()));
      }
    }
    return reports;
  }

  @Override
  public final Random random() {
    return seeds.random();
  }

  @Test
  void atAnyMomentOfTheSwitchAnEventLoopReadsTheBytesBeforeTheReset() throws Exception {
    Random random = seeds.random();
    for (int i = 0; i < ROUNDS; i++) {
      Pair pair = net().freshPair();
      boolean toClient = random.nextInt(4) > 0;
      SocketChannel reader = toClient ? pair.client() : pair.server();
      SocketChannel aborter = toClient ? pair.server() : pair.client();
      Bytes.exchange(pair.client(), pair.server(), "there");
      Bytes.exchange(pair.server(), pair.client(), "back");
      reader.configureBlocking(false);
      LockSupport.parkNanos(random.nextInt(4_000_000));

      Bytes.write(aborter, ByteBuffer.allocate(LENGTH));
      Pair.reset(aborter);
      if (random.nextBoolean()) {
        Thread.sleep(random.nextInt(6)); // or the reader is there first
      }

      assertThat(readToTheError(reader))
          .as("round %d", i)
          .isEqualTo(LENGTH + " bytes, Connection reset");
      reader.close();
    }
  }

  private String readToTheError(SocketChannel reader) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocateDirect(4096);
    int got = 0;
    try (Selector selector = carrier().provider().openSelector()) {
      reader.register(selector, OP_READ);
      for (; ; ) {
        assertThat(selector.select(Patience.DEADLINE.toMillis())).isEqualTo(1);
        selector.selectedKeys().clear();
        int n = reader.read(chunk.clear());
        if (n < 0) {
          return got + " bytes, the end";
        }
        got += n;
      }
    } catch (IOException e) {
      return got + " bytes, " + e.getMessage();
    }
  }

  @Test
  void aChannelThatWasResetStaysReady() throws Exception {
    Pair pair = net().settledNonBlockingPair();
    Selector selector = net().selector();
    SelectionKey key = pair.client().register(selector, OP_READ | SelectionKey.OP_WRITE);

    Pair.reset(pair.server());

    Patience.await()
        .until(() -> {
          selector.select(Patience.DEADLINE.toMillis());
          selector.selectedKeys().clear();
          return key.isReadable() && key.isWritable();
        });
    for (int i = 0; i < 3; i++) {
      assertThat(selector.select(Patience.DEADLINE.toMillis())).isEqualTo(1);
      selector.selectedKeys().clear();
      assertThat(key.readyOps()).isEqualTo(OP_READ | SelectionKey.OP_WRITE);
      assertThat(report(pair.client(), "r")).containsExactly("Connection reset");
    }
  }

  /** SO_LINGER 0 means a reset, also if a thread waits for bytes at that moment. */
  @ParameterizedTest
  @CsvSource({"true, true", "true, false", "false, true", "false, false"})
  void aCloseWithoutLingeringResetsUnderABlockedReader(boolean settled, boolean adaptor)
      throws Exception {
    for (int i = 0; i < 10; i++) {
      Pair pair = settled ? net().settledPair() : net().freshPair();
      Background<Integer> blocked =
          Background.call(() -> Bytes.readOne(pair.client())).awaitBlocked();
      Background<Integer> peer = Background.call(() -> Bytes.readOne(pair.server())).awaitBlocked();

      pair.client().setOption(SO_LINGER, 0);
      if (adaptor) {
        pair.client().socket().close();
      } else {
        pair.client().close();
      }

      assertThat(peer.failure()).hasMessage("Connection reset");
      blocked.failure();
    }
  }
}
