package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.slipstream.core.config.SlipstreamConfig;
import org.slipstream.core.stream.InterruptScope;
import org.slipstream.core.stream.Stream;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.Availability;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.Session;
import org.slipstream.transport.Transport;
import org.slipstream.transport.TransportHost;

/** Transports are opened beside the program's first socket. */
class OpeningTransportsTest {
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

  private final CountDownLatch mayOpen = new CountDownLatch(1);
  private final LinkedBlockingQueue<InetSocketAddress> announced = new LinkedBlockingQueue<>();
  private final LinkedBlockingQueue<InetSocketAddress> searches = new LinkedBlockingQueue<>();

  private final LinkedBlockingQueue<InetSocketAddress> withdrawn = new LinkedBlockingQueue<>();

  private final CountDownLatch closed = new CountDownLatch(1);

  /** Opens when it may. */
  private final class Slow extends FakeEndpoint implements Transport {
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
      try {
        mayOpen.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return this;
    }

    @Override
    public Closeable announce(InetSocketAddress address) {
      announced.add(address);
      return () -> withdrawn.add(address);
    }

    @Override
    public int findPeers(InetSocketAddress remote, Consumer<Session> answer, Runnable none) {
      searches.add(remote);
      return 0;
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }

  private static SlipstreamCore startSoon(Iterable<Transport> transports) throws IOException {
    Properties settings = new Properties();
    settings.setProperty("slipstream.transports", "shm");
    return SlipstreamCore.startSoon(
        SlipstreamConfig.read(settings),
        SelectorProvider.provider(),
        channel -> true,
        null,
        transports);
  }

  @Test
  void aStreamDoesNotWaitForThemAndIsOfferedWhenTheyAreThere() throws Exception {
    SlipstreamCore core = startSoon(List.of(new Slow()));
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (SocketChannel channel = SocketChannel.open(listener.getLocalAddress())) {
        Stream stream = core.connecting(channel, NEVER);
        core.connected(stream);
        core.eligible(stream);
        assertThat(searches).isEmpty();
        mayOpen.countDown();
        assertThat(searches.poll(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS))
            .isEqualTo(listener.getLocalAddress());
      }
    } finally {
      mayOpen.countDown();
      core.stop();
    }
  }

  @Test
  void aListenerIsAnnouncedToAllOfThemEvenIfItsThreadIsInterrupted() throws Exception {
    SlipstreamCore core = startSoon(List.of(new Slow()));
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread binding =
        Thread.ofPlatform()
            .start(() -> {
              core.announce(address);
              interrupted.complete(Thread.interrupted());
            });
    try {
      binding.interrupt();
      assertThat(announced).isEmpty();
      mayOpen.countDown();
      assertThat(interrupted.get(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(announced).containsExactly(address);
    } finally {
      mayOpen.countDown();
      core.stop();
    }
  }

  private void assertWithdrawn(InetSocketAddress address) throws InterruptedException {
    assertThat(withdrawn.poll(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(address);
  }

  /** A slow machine needs longer than a listener waits. */
  @Test
  void aListenerThatDoesNotWaitLongEnoughIsAnnouncedWhenTheyAreThere() throws Exception {
    SlipstreamCore core = startSoon(List.of(new Slow()));
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);
    try {
      Announcement announcement = core.announce(address, 0);
      assertThat(announcement.isHidden()).as("it will be seen").isFalse();
      mayOpen.countDown();
      assertThat(announced.poll(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS))
          .isEqualTo(address);
      announcement.close();
      assertWithdrawn(address);
    } finally {
      mayOpen.countDown();
      core.stop();
    }
  }

  @Test
  void aStreamThatIsAcceptedBeforeThatIsExpectedByTransports() throws Exception {
    SlipstreamCore core = startSoon(List.of(new Slow()));
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      InetAddress here = InetAddress.getLoopbackAddress();
      listener.bind(new InetSocketAddress(here, 0));
      InetSocketAddress address = (InetSocketAddress) listener.getLocalAddress();
      Announcement announcement = core.announce(address, 0);
      try (SocketChannel client = SocketChannel.open(address);
          SocketChannel channel = listener.accept()) {
        assertThat(client.isConnected()).isTrue();
        Stream stream = core.accepted(channel, NEVER, announcement);
        assertThat(core.hasAcceptedFrom(here)).isTrue();
        mayOpen.countDown();
        announcement.close();
        Patience.await().until(() -> !announced.isEmpty());
        assertThat(withdrawn).as("the stream is open").isEmpty();
        stream.close(false);
        assertWithdrawn(address);
      }
    } finally {
      mayOpen.countDown();
      core.stop();
    }
  }

  @Test
  void aListenerThatIsClosedByThenLeavesNoMark() throws Exception {
    SlipstreamCore core = startSoon(List.of(new Slow()));
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);
    try {
      core.announce(address, 0).close();
      mayOpen.countDown();
      assertWithdrawn(address);
    } finally {
      mayOpen.countDown();
      core.stop();
    }
  }

  @Test
  void oneThatIsOpenedAfterTheProcessHasLeftIsClosed() throws Exception {
    SlipstreamCore core = startSoon(List.of(new Slow()));
    try {
      core.leave();
      assertThat(closed.getCount()).isOne();
      mayOpen.countDown();
      assertThat(closed.await(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } finally {
      mayOpen.countDown();
      core.stop();
    }
  }

  @Test
  void oneThatFailsLeavesTheStreamsPlainAndHoldsUpNothing() throws Exception {
    SlipstreamCore core =
        startSoon(() -> {
          throw new NoClassDefFoundError("injected");
        });
    try {
      Announcement announcement =
          core.announce(new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711));
      assertThat(announcement.isHidden()).isTrue();
    } finally {
      core.stop();
    }
  }
}
