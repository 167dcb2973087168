package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.slipstream.core.config.SlipstreamConfig;
import org.slipstream.core.stream.InterruptScope;
import org.slipstream.core.stream.Stream;
import org.slipstream.transport.Availability;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.Session;
import org.slipstream.transport.Transport;
import org.slipstream.transport.TransportHost;

/** What happens to one stream on its way to a transport is nothing to the others. */
class EligibleStreamsTest {
  private static final InterruptScope NEVER =
      new InterruptScope() {
        @Override
        public void begin() {}

        @Override
        public void end(boolean completed) {}

        @Override
        public boolean mustNotBlock() {
          return false;
        }
      };

  private static final int LESSON_TICKS = 10;

  private final LinkedBlockingQueue<InetSocketAddress> searches = new LinkedBlockingQueue<>();
  private final AtomicInteger looks = new AtomicInteger();
  private final ManualReactor reactor = new ManualReactor();
  private final List<Stream> offered = new ArrayList<>();
  private final OfferDelay delay = new OfferDelay(64);
  private final EligibleStreams eligible = new EligibleStreams(reactor, offered::add, delay);

  /** Its first search ends as in a process that can not load a class. */
  private final class Failing extends FakeEndpoint implements Transport {
    private boolean failed;

    @Override
    public String name() {
      return "shm";
    }

    @Override
    public Availability availability() {
      return Availability.yes("here");
    }

    @Override
    public Endpoint open(TransportHost host) {
      return this;
    }

    @Override
    public void beVisible() {
      looks.incrementAndGet();
    }

    @Override
    public int findPeers(InetSocketAddress remote, Consumer<Session> answer, Runnable none) {
      searches.add(remote);
      if (!failed) {
        failed = true;
        throw new NoClassDefFoundError("injected");
      }
      return 0;
    }
  }

  private SlipstreamCore start() throws IOException {
    Properties settings = new Properties();
    settings.setProperty("slipstream.transports", "shm");
    return SlipstreamCore.start(
        SlipstreamConfig.read(settings),
        SelectorProvider.provider(),
        channel -> true,
        null,
        List.of(new Failing()));
  }

  @Test
  void anErrorInOneOfferDoesNotStopTheOthers() throws Exception {
    SlipstreamCore core = start();
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      for (int i = 0; i < 2; i++) {
        SocketChannel channel = SocketChannel.open(listener.getLocalAddress());
        Stream stream = core.connecting(channel, NEVER);
        core.connected(stream);
        for (int k = 0; k < 4; k++) {
          assertThat(stream.write(ByteBuffer.allocate(1), true)).isEqualTo(1);
        }
        assertThat(searches.poll(60, TimeUnit.SECONDS))
            .as("search of stream %s", i)
            .isEqualTo(listener.getLocalAddress());
        channel.close();
      }
    } finally {
      core.stop();
    }
  }

  /** An offer would cost it more than what is left of it could gain. */
  @Test
  void aStreamThatIsClosedAtOnceIsNotOffered() throws Exception {
    SlipstreamCore core = start();
    try (SocketChannel kept = SocketChannel.open();
        SocketChannel closed = SocketChannel.open()) {
      Stream lives = core.connecting(kept, NEVER);
      Stream brief = core.connecting(closed, NEVER);
      eligible.add(lives);
      eligible.add(brief);
      reactor.runScheduled();
      assertThat(offered).as("in less than 10 ms").isEmpty();
      brief.close(true);
      reactor.runScheduled();
      assertThat(offered).containsExactly(lives);
      eligible.add(lives);
      reactor.runScheduled();
      assertThat(offered).as("a tick later").hasSize(1);
      reactor.runScheduled();
      assertThat(offered).as("two ticks later").hasSize(2);
      runTicks(LESSON_TICKS);
      assertThat(reactor.isIdle()).as("the clock stands").isTrue();
    } finally {
      core.stop();
    }
  }

  /** The JVM never loads again a class for which it once had no memory. */
  @Test
  void aClassThatIsMissingDoesNotStopTheClock() throws Exception {
    SlipstreamCore core = start();
    List<Stream> seen = new ArrayList<>();
    EligibleStreams failing =
        new EligibleStreams(
            reactor,
            stream -> {
              if (seen.isEmpty()) {
                seen.add(stream);
                throw new NoClassDefFoundError("injected");
              }
              offered.add(stream);
            },
            delay);
    try (SocketChannel channel = SocketChannel.open()) {
      Stream stream = core.connecting(channel, NEVER);
      failing.add(stream);
      runTicks(3);
      assertThat(seen).containsExactly(stream);
      assertThat(offered).as("at the next tick").containsExactly(stream);
    } finally {
      core.stop();
    }
  }

  private void runTicks(int ticks) {
    for (int i = 0; i < ticks; i++) {
      reactor.runScheduled();
    }
  }

  /** The next ones are held until they are closed; those that live on are offered all the same. */
  @Test
  void whereStreamsAreClosedSoonBehindTheirOfferTheNextOnesAreHeldLonger() throws Exception {
    SlipstreamCore core = start();
    try (SocketChannel brief = SocketChannel.open();
        SocketChannel kept = SocketChannel.open()) {
      Stream first = core.connecting(brief, NEVER);
      eligible.add(first);
      runTicks(2);
      assertThat(offered).containsExactly(first);
      first.close(true);
      runTicks(LESSON_TICKS);
      assertThat(delay.ticks()).isEqualTo(2);
      Stream second = core.connecting(kept, NEVER);
      eligible.add(second);
      runTicks(2);
      assertThat(offered).as("at its second tick").hasSize(1);
      reactor.runScheduled();
      assertThat(offered).as("at its third").hasSize(2);
      runTicks(LESSON_TICKS);
      assertThat(delay.ticks()).as("it lives on").isEqualTo(1);
    } finally {
      core.stop();
    }
  }

  @Test
  void aStreamThatWasUsedMuchWasWorthItsOffer() throws Exception {
    SlipstreamCore core = start();
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      delay.learn(0, 0, 1);
      for (long messages : new long[] {OfferDelay.WORTHWHILE_MESSAGES - 1, 1000}) {
        Stream stream = core.connecting(SocketChannel.open(listener.getLocalAddress()), NEVER);
        eligible.add(stream);
        runTicks(1 + delay.ticks());
        for (int k = 0; k < messages; k++) {
          assertThat(stream.write(ByteBuffer.allocate(1), true)).isEqualTo(1);
        }
        stream.close(true);
        runTicks(LESSON_TICKS);
        assertThat(delay.ticks()).as("%s messages", messages).isEqualTo(messages < 1000 ? 4 : 2);
      }
    } finally {
      core.stop();
    }
  }

  /** Such as a server's that closes its connections behind the hundredth request. */
  @Test
  void whereStreamsDoMuchInAShortLifeTheNextOnesAreOfferedAtOnce() throws Exception {
    SlipstreamCore core = start();
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Stream first = core.connecting(SocketChannel.open(listener.getLocalAddress()), NEVER);
      eligible.add(first);
      for (int k = 0; k < 200; k++) {
        assertThat(first.write(ByteBuffer.allocate(1), true)).isEqualTo(1);
      }
      first.close(true);
      runTicks(2);
      assertThat(offered).isEmpty();
      assertThat(delay.isNone()).isTrue();
      Stream second = core.connecting(SocketChannel.open(listener.getLocalAddress()), NEVER);
      eligible.add(second);
      reactor.runScheduled();
      assertThat(offered).containsExactly(second);
      second.close(true);
      runTicks(LESSON_TICKS + 1);
      assertThat(delay.ticks()).as("it did nothing").isEqualTo(OfferDelay.FIRST);
      assertThat(reactor.isIdle()).as("the clock stands").isTrue();
    } finally {
      core.stop();
    }
  }

  /** Another process may have to find this one next. */
  @Test
  void anAcceptedStreamIsACauseToLookButNotEachOfThousands() {
    long[] now = {1};
    Visibility visibility = new Visibility(List.of(new Failing()), reactor, () -> now[0]);
    for (int i = 0; i < 1000; i++) {
      visibility.accepted();
    }
    reactor.run();
    assertThat(looks).hasValue(1);
    now[0] += Visibility.PAUSE_NS;
    visibility.accepted();
    reactor.run();
    assertThat(looks).hasValue(2);
  }
}
