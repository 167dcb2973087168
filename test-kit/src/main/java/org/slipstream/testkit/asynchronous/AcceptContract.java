package org.slipstream.testkit.asynchronous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.channels.AcceptPendingException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.NotYetBoundException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Network;

/** Accepting: one at a time, now or later. */
public abstract class AcceptContract extends AsynchronousContract {

  /** Nothing is opened yet. */
  protected AcceptContract() {}

  @Test
  void aConnectionThatWaitsIsAcceptedAtOnce() throws Exception {
    AsynchronousServerSocketChannel listener = listen();
    AsynchronousSocketChannel client = open(group());
    value(client.connect(addressOf(listener)));

    try (AsynchronousSocketChannel server = value(listener.accept())) {
      assertThat(server.getRemoteAddress()).isEqualTo(client.getLocalAddress());
    }
  }

  @Test
  void anAcceptWaitsForAConnectionAndAllowsNoSecondOne() throws Exception {
    AsynchronousServerSocketChannel listener = listen();
    Recorder<AsynchronousSocketChannel> recorder = new Recorder<>();

    listener.accept("attachment", recorder);

    assertThatThrownBy(listener::accept).isInstanceOf(AcceptPendingException.class);
    assertThat(recorder.isTold()).isFalse();
    AsynchronousSocketChannel client = open(group());
    value(client.connect(addressOf(listener)));
    try (AsynchronousSocketChannel server = recorder.value()) {
      assertThat(server.getRemoteAddress()).isEqualTo(client.getLocalAddress());
      assertThat(recorder.await().attachment()).isEqualTo("attachment");
    }
  }

  @Test
  void aHandlerMayAcceptTheNext() throws Exception {
    int connections = 20;
    AsynchronousServerSocketChannel listener = listen();
    CountDownLatch left = new CountDownLatch(connections);
    listener.accept(
        null,
        new CompletionHandler<AsynchronousSocketChannel, Object>() {
          @Override
          public void completed(AsynchronousSocketChannel server, Object attachment) {
            listener.accept(null, this);
            try {
              server.close();
            } catch (java.io.IOException e) {
              throw new AssertionError(e);
            }
            left.countDown();
          }

          @Override
          public void failed(Throwable failure, Object attachment) {
            // The listener was closed: the end of the test.
          }
        });

    for (int i = 0; i < connections; i++) {
      value(open(group()).connect(addressOf(listener)));
    }

    assertThat(left.await(Background.DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aPendingAcceptEndsWithTheChannel() throws Exception {
    AsynchronousServerSocketChannel listener = listen();
    Future<AsynchronousSocketChannel> pending = listener.accept();

    listener.close();

    assertThat(failure(pending)).isExactlyInstanceOf(AsynchronousCloseException.class);
    assertThat(failure(listener.accept())).isExactlyInstanceOf(ClosedChannelException.class);

    AsynchronousServerSocketChannel other = listen();
    Recorder<AsynchronousSocketChannel> recorder = new Recorder<>();
    other.accept(null, recorder);
    other.close();
    assertThat(recorder.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
  }

  @Test
  void stateIsCheckedAtOnce() throws Exception {
    AsynchronousServerSocketChannel fresh = openServer(group());
    assertThat(fresh.getLocalAddress()).isNull();
    assertThatThrownBy(fresh::accept).isInstanceOf(NotYetBoundException.class);
    fresh.bind(Network.anyPort());
    assertThatThrownBy(() -> fresh.bind(Network.anyPort()))
        .isInstanceOf(AlreadyBoundException.class);
  }

  @Test
  void afterACancelledAcceptThereIsNoOther() throws Exception {
    AsynchronousServerSocketChannel listener = listen();
    Future<AsynchronousSocketChannel> pending = listener.accept();

    assertThat(pending.cancel(false)).isTrue();

    assertThat(pending.isCancelled()).isTrue();
    assertThat(listener.isOpen()).isTrue();
    assertThatThrownBy(listener::accept).isInstanceOf(RuntimeException.class);
  }

  @Test
  void aClosedListenerGivesItsPortBackAtOnce() throws Exception {
    AsynchronousServerSocketChannel listener = listen();
    Future<AsynchronousSocketChannel> pending = listener.accept();
    for (int i = 0; i < 20; i++) {
      java.net.InetSocketAddress address = addressOf(listener);
      listener.close();
      listener = openServer(group()).bind(address);
    }
    assertThat(failure(pending)).isExactlyInstanceOf(AsynchronousCloseException.class);
  }
}
