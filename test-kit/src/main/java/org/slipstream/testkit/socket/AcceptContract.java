package org.slipstream.testkit.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.StaysPlain;
import org.slipstream.testkit.ThreadKind;

/** Accepting, with and without a timeout, and into sockets of subclasses. */
public abstract class AcceptContract extends SocketContract {

  private static final int MILLIS = 120;

  /** Behind a collection, for the threads of cleaners. */
  private static final int CLEANING_MS = 100;

  /** Nothing is opened yet. */
  protected AcceptContract() {}

  @ParameterizedTest
  @EnumSource
  void anAcceptWaitsForAConnection(ThreadKind kind) throws Exception {
    ServerSocket listener = listen();
    Background<Socket> accepting = Background.call(kind, listener::accept).awaitBlocked();

    Socket client = connect(listener);

    Socket server = closing(accepting.result());
    talk(settle(new Ends(client, server)));
  }

  @ParameterizedTest
  @EnumSource
  void anAcceptThatTimesOutLeavesTheListenerUsable(ThreadKind kind) throws Exception {
    ServerSocket listener = listen();
    listener.setSoTimeout(MILLIS);
    assertThat(listener.getSoTimeout()).isEqualTo(MILLIS);
    assertThatIllegalArgumentException().isThrownBy(() -> listener.setSoTimeout(-1));

    for (int i = 0; i < 2; i++) {
      long start = System.nanoTime();
      Throwable failure = Background.call(kind, listener::accept).failure();
      assertThat(failure)
          .isExactlyInstanceOf(SocketTimeoutException.class)
          .hasMessage("Accept timed out");
      assertThat((System.nanoTime() - start) / 1_000_000).isGreaterThanOrEqualTo(MILLIS - 5);
    }

    talk(settle(pair(listener)));
    assertThat(listener.isClosed()).isFalse();
  }

  @Test
  void aTimedAcceptReturnsAsSoonAsThereIsAConnection() throws Exception {
    ServerSocket listener = listen();
    listener.setSoTimeout(60_000);
    Background<Socket> accepting = Background.call(listener::accept).awaitBlocked();

    Socket client = connect(listener);

    Socket server = closing(accepting.result());
    assertThat(server.getSoTimeout()).as("the timeout is not inherited").isZero();
    talk(settle(new Ends(client, server)));
  }

  @ParameterizedTest
  @EnumSource
  void aPendingAcceptEndsWithTheListener(ThreadKind kind) throws Exception {
    for (int timeout : new int[] {0, 60_000}) {
      ServerSocket listener = listen();
      listener.setSoTimeout(timeout);
      Background<Socket> accepting = Background.call(kind, listener::accept).awaitBlocked();

      listener.close();

      assertThat(accepting.failure())
          .isExactlyInstanceOf(SocketException.class)
          .hasMessage("Socket closed");
      assertThat(listener.isClosed()).isTrue();
    }
  }

  @Test
  void severalThreadsMayAccept() throws Exception {
    ServerSocket listener = listen();
    List<Background<Socket>> accepting = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      accepting.add(Background.call(listener::accept));
    }

    for (int i = 0; i < 4; i++) {
      connect(listener);
    }

    for (Background<Socket> one : accepting) {
      assertThat(closing(one.result()).isConnected()).isTrue();
    }
  }

  @Test
  void stateIsChecked() throws Exception {
    ServerSocket unbound = openServer();
    assertThat(unbound.isBound()).isFalse();
    assertThat(unbound.getLocalPort()).isEqualTo(-1);
    assertThat(unbound.getInetAddress()).isNull();
    assertThat(unbound.getLocalSocketAddress()).isNull();
    assertThat(unbound.getChannel()).isNull();
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(unbound::accept)
        .withMessage("Socket is not bound yet");

    ServerSocket listener = listen();
    assertThat(listener.isBound()).isTrue();
    assertThat(listener.getInetAddress()).isEqualTo(InetAddress.getLoopbackAddress());
    assertThat(listener.toString()).contains("localport=" + listener.getLocalPort());
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> listener.bind(Network.anyPort()))
        .withMessage("Already bound");
    listener.close();
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(listener::accept)
        .withMessage("Socket is closed");
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> listener.setSoTimeout(1))
        .withMessage("Socket is closed");
  }

  /** The collector finds a listener that was closed long ago. */
  @Test
  void aConnectionLosesNothingWithItsClosedListener() throws Exception {
    ServerSocket listener = sockets().openServer();
    listener.bind(Network.anyPort());
    Ends accepted = pair(listener);
    listener.close();
    WeakReference<ServerSocket> closed = new WeakReference<>(listener);
    listener = null;

    awaitCollected(closed);

    talk(settle(accepted));
  }

  @Test
  void aListenerLosesNothingWithAnotherThatWasClosedAtItsAddress() throws Exception {
    ServerSocket listener = sockets().openServer();
    listener.bind(Network.anyPort());
    InetSocketAddress address = addressOf(listener);
    listener.close();
    WeakReference<ServerSocket> closed = new WeakReference<>(listener);
    listener = openServer();
    listener.bind(address);

    awaitCollected(closed);

    talk(settle(pair(listener)));
  }

  private static void awaitCollected(WeakReference<?> reference) throws InterruptedException {
    Patience.await()
        .until(() -> {
          System.gc();
          return reference.get() == null;
        });
    Thread.sleep(CLEANING_MS);
  }

  @Test
  void aClosedListenerGivesItsPortBackAtOnce() throws Exception {
    ServerSocket listener = listen();
    InetSocketAddress address = addressOf(listener);
    for (int i = 0; i < 20; i++) {
      talk(pair(listener));
      listener.close();
      listener = openServer();
      listener.bind(address);
    }
  }

  @StaysPlain("the client writes before it is accepted")
  @Test
  void connectionsThatWaitAreAcceptedInTheirOrder() throws Exception {
    ServerSocket listener = listen();
    List<Socket> clients = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Socket client = connect(listener);
      send(client, "" + i);
      clients.add(client);
    }
    clients.get(3).shutdownOutput();

    for (int i = 0; i < 5; i++) {
      Socket server = closing(listener.accept());
      assertThat(receive(server, 1)).isEqualTo("" + i);
      assertThat(server.getPort()).isEqualTo(clients.get(i).getLocalPort());
    }
  }

  @Test
  void aConnectionThatWasResetWhileItWaitedIsAcceptedAllTheSame() throws Exception {
    ServerSocket listener = listen();
    reset(connect(listener));
    Socket client = connect(listener);

    Socket first = closing(listener.accept());
    Socket second = closing(listener.accept());

    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> first.getInputStream().read())
        .withMessage("Connection reset");
    talk(new Ends(client, second));
  }

  /** A socket that counts how often it is closed, as wrappers of libraries do. */
  private static final class CountingSocket extends Socket {
    final AtomicInteger closes = new AtomicInteger();

    CountingSocket(@Nullable SocketImpl impl) throws SocketException {
      super(impl);
    }

    @Override
    public synchronized void close() throws IOException {
      closes.incrementAndGet();
      super.close();
    }
  }

  @Test
  void aSubclassMayAcceptIntoASubclass() throws Exception {
    ServerSocket listener =
        closing(sockets().openServer(() -> new CountingSocket(sockets().toAcceptInto())));
    listener.bind(Network.anyPort());
    Socket client = connect(listener);

    CountingSocket server = (CountingSocket) closing(listener.accept());

    assertThat(server.isConnected()).isTrue();
    assertThat(server.isBound()).isTrue();
    assertThat(server.getRemoteSocketAddress()).isEqualTo(client.getLocalSocketAddress());
    talk(settle(new Ends(client, server)));
    server.close();
    assertThat(server.closes).hasValue(1);
    assertThat(client.getInputStream().read()).isEqualTo(-1);
  }

  @Test
  void aServerSocketMayAcceptIntoAnOrdinarySocketOfItsRow() throws Exception {
    ServerSocket listener = closing(sockets().openServer(() -> sockets().open()));
    listener.bind(Network.anyPort());

    Ends ends = pair(listener);

    talk(settle(ends));
  }

  @Test
  void aFailedAcceptLeavesItsSocketAsItWas() throws Exception {
    Socket target = open();
    ServerSocket listener = closing(sockets().openServer(() -> target));
    listener.bind(Network.anyPort());
    listener.setSoTimeout(50);

    assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(listener::accept);

    assertThat(target.isConnected()).isFalse();
    assertThat(target.isClosed()).isFalse();
  }
}
