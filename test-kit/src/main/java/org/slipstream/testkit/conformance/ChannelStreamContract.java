package org.slipstream.testkit.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.IllegalBlockingModeException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Tape;
import org.slipstream.testkit.ThreadKind;

/**
 * The streams that {@link Channels} puts round a channel. For a channel that is not the JDK's own
 * they hold its blocking lock during each call, in both directions; full-duplex use has to work all
 * the same.
 */
public abstract class ChannelStreamContract extends NioContract {

  /** Nothing is opened yet. */
  protected ChannelStreamContract() {}

  @ParameterizedTest
  @EnumSource
  void writingDoesNotWaitForABlockedReader(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();
    InputStream in = Channels.newInputStream(pair.client());
    OutputStream out = Channels.newOutputStream(pair.client());

    for (int i = 0; i < 3; i++) {
      Background<Integer> read = Background.call(kind, in::read).awaitBlocked();
      Background.run(kind, () -> out.write(Bytes.ascii("request").array())).result();
      assertThat(Bytes.read(pair.server(), 7)).isEqualTo("request");
      Bytes.write(pair.server(), "!");
      assertThat(read.result()).isEqualTo('!');
    }
  }

  @ParameterizedTest
  @EnumSource
  void writingDoesNotWaitForABlockedReaderOfAFreshStream(ThreadKind kind) throws Exception {
    Pair pair = net().freshPair();
    InputStream in = Channels.newInputStream(pair.server());
    OutputStream out = Channels.newOutputStream(pair.server());

    for (int i = 0; i < 3; i++) {
      Background<Integer> read = Background.call(kind, in::read).awaitBlocked();
      Background.run(kind, () -> out.write(Bytes.ascii("server speaks").array())).result();
      assertThat(Bytes.read(pair.client(), 13)).isEqualTo("server speaks");
      Bytes.write(pair.client(), "!");
      assertThat(read.result()).isEqualTo('!');
    }
  }

  @ParameterizedTest
  @EnumSource
  void readingDoesNotWaitForABlockedWriter(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();
    InputStream in = Channels.newInputStream(pair.client());
    OutputStream out = Channels.newOutputStream(pair.client());
    long accepted = Bytes.fillUp(pair.client(), new Tape(1));
    Background<@Nullable Void> write =
        Background.run(kind, () -> out.write(new byte[100_000])).awaitBlocked();

    Bytes.write(pair.server(), "x");
    assertThat(Background.call(kind, in::read).result()).isEqualTo('x');
    assertThat(write.isDone()).isFalse();

    Bytes.readTape(pair.server(), new Tape(1), accepted);
    assertThat(Bytes.read(pair.server(), 100_000)).isEqualTo("\0".repeat(100_000));
    write.result();
  }

  @ParameterizedTest
  @EnumSource
  void megabytesGoBothWaysAtOnce(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();
    int size = 3_000_000;
    Background<@Nullable Void> echo =
        Background.run(
            kind,
            () -> {
              Channels.newInputStream(pair.server())
                  .transferTo(Channels.newOutputStream(pair.server()));
              pair.server().shutdownOutput();
            });
    Background<@Nullable Void> writer =
        Background.run(
            kind,
            () -> {
              Channels.newOutputStream(pair.client()).write(new Tape(2).next(size).array());
              pair.client().shutdownOutput();
            });

    byte[] echoed = Channels.newInputStream(pair.client()).readAllBytes();

    assertThat(echoed).hasSize(size);
    new Tape(2).verify(ByteBuffer.wrap(echoed));
    writer.result();
    echo.result();
  }

  @Test
  void readersAndWritersOfTextWork() throws Exception {
    Pair pair = net().settledPair();
    Writer writer = Channels.newWriter(pair.client(), UTF_8);
    BufferedReader reader = new BufferedReader(Channels.newReader(pair.server(), UTF_8));

    writer.write("grüße\nsecond line\n");
    writer.flush();

    assertThat(reader.readLine()).isEqualTo("grüße");
    assertThat(reader.readLine()).isEqualTo("second line");
    writer.close();
    assertThat(reader.readLine()).isNull();
    assertThat(pair.client().isOpen()).isFalse();
  }

  @Test
  void theStreamsRefuseANonBlockingChannel() throws Exception {
    Pair pair = net().settledNonBlockingPair();
    InputStream in = Channels.newInputStream(pair.client());
    OutputStream out = Channels.newOutputStream(pair.client());

    assertThatExceptionOfType(IllegalBlockingModeException.class).isThrownBy(in::read);
    assertThatExceptionOfType(IllegalBlockingModeException.class)
        .isThrownBy(() -> out.write(new byte[1]));
  }

  /**
   * Virtual threads that compute hold their carriers; a platform thread must not need one of these.
   */
  @Test
  void aPlatformThreadThatReadsWaitsForNoCarrier() throws Exception {
    Pair pair = net().settledPair();
    InputStream in = Channels.newInputStream(pair.client());
    AtomicBoolean stop = new AtomicBoolean();
    int carriers = Runtime.getRuntime().availableProcessors();
    CountDownLatch computing = new CountDownLatch(carriers);
    for (int i = 0; i < carriers; i++) {
      Thread.ofVirtual()
          .start(() -> {
            computing.countDown();
            while (!stop.get()) {
              Thread.onSpinWait();
            }
          });
    }
    try {
      assertThat(computing.await(Patience.DEADLINE.toSeconds(), SECONDS)).isTrue();
      Background<Integer> read = Background.call(ThreadKind.PLATFORM, in::read).awaitBlocked();

      Bytes.write(pair.server(), "!");

      assertThat(read.result()).isEqualTo('!');
    } finally {
      stop.set(true);
    }
  }

  @ParameterizedTest
  @EnumSource
  void closingTheStreamEndsABlockedRead(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();
    InputStream in = Channels.newInputStream(pair.client());
    Background<Integer> read = Background.call(kind, in::read).awaitBlocked();

    Background.run(in::close).result();

    assertThat(read.failure()).isInstanceOf(AsynchronousCloseException.class);
    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
  }
}
