package org.slipstream.testkit.asynchronous;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Seed;

/** The end of a stream, or of one direction, by either side. */
public abstract class EndContract extends AsynchronousContract {

  @RegisterExtension final Seed seeds = new Seed();

  /** Nothing is opened yet. */
  protected EndContract() {}

  @Test
  void theEndIsReadAfterTheBytesAndAgainAndAgain() throws Exception {
    Ends ends = settledPair();
    assertThat(value(ends.client().write(Bytes.ascii("last")))).isEqualTo(4);
    ends.client().close();

    readAll(ends.server(), ByteBuffer.allocate(4));
    for (int i = 0; i < 3; i++) {
      assertThat(value(ends.server().read(ByteBuffer.allocate(1)))).isEqualTo(-1);
    }
    Recorder<Long> scattered = new Recorder<>();
    ends.server()
        .read(
            new ByteBuffer[] {ByteBuffer.allocate(1)}, 0, 1, 0, TimeUnit.SECONDS, null, scattered);
    assertThat(scattered.value()).isEqualTo(-1L);
  }

  @Test
  void aWaitingReadSeesTheEnd() throws Exception {
    Ends ends = settledPair();
    Future<Integer> read = ends.server().read(ByteBuffer.allocate(1));

    ends.client().shutdownOutput();

    assertThat(value(read)).isEqualTo(-1);
    assertThat(value(ends.server().write(Bytes.ascii("back")))).isEqualTo(4);
    readAll(ends.client(), ByteBuffer.allocate(4));
  }

  @Test
  void aDirectionThatWasShutDownIsOver() throws Exception {
    Ends ends = settledPair();
    ends.client().shutdownOutput();
    ends.client().shutdownOutput();
    assertThat(failure(ends.client().write(Bytes.ascii("x"))))
        .isExactlyInstanceOf(ClosedChannelException.class);
    ends.client().shutdownInput();
    assertThat(value(ends.client().read(ByteBuffer.allocate(1)))).isEqualTo(-1);
    assertThat(value(ends.client().read(ByteBuffer.allocate(0)))).isEqualTo(-1);
    assertThat(ends.client().isOpen()).isTrue();
  }

  @Test
  void aWaitingReadEndsWhenItsInputIsShutDown() throws Exception {
    Ends ends = settledPair();
    Future<Integer> read = ends.client().read(ByteBuffer.allocate(1));

    ends.client().shutdownInput();

    assertThat(value(read)).isEqualTo(-1);
  }

  @Test
  void closingEndsWhatIsOutstanding() throws Exception {
    Ends ends = settledPair();
    Future<Integer> read = ends.client().read(ByteBuffer.allocate(1));
    Future<Integer> write = fillUp(ends.client());
    Recorder<Integer> other = new Recorder<>();
    ends.server().read(ByteBuffer.allocate(0), null, other);

    ends.client().close();

    assertThat(failure(read)).isExactlyInstanceOf(AsynchronousCloseException.class);
    assertThat(failure(write)).isExactlyInstanceOf(AsynchronousCloseException.class);
    assertThat(ends.client().isOpen()).isFalse();
  }

  @Test
  void closingFailsTheHandler() throws Exception {
    Ends ends = settledPair();
    Recorder<Integer> recorder = new Recorder<>();
    ends.client().read(ByteBuffer.allocate(1), "att", recorder);

    ends.client().close();

    assertThat(recorder.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
    assertThat(recorder.await().attachment()).isEqualTo("att");
  }

  @Test
  void unreadBytesMakeACloseAReset() throws Exception {
    Ends ends = settledPair();
    Future<Integer> read = ends.client().read(ByteBuffer.allocate(1));
    assertThat(value(ends.client().write(Bytes.ascii("unread")))).isEqualTo(6);
    ByteBuffer some = ByteBuffer.allocate(1);
    readAll(ends.server(), some); // now they are there for certain

    ends.server().close();

    assertThat(failure(read))
        .isExactlyInstanceOf(IOException.class)
        .hasMessageContaining("Connection reset");
  }

  /** An asynchronous channel can not be told to reset, so a socket does it. */
  @Test
  void atAnyMomentOfTheSwitchAResetComesBehindTheBytes() throws Exception {
    Random random = seeds.random();
    ServerSocket listener = closing(carrier().sockets().openServer());
    listener.bind(Network.anyPort());
    for (int i = 0; i < 100; i++) {
      AsynchronousSocketChannel client = open(group());
      value(client.connect(new InetSocketAddress(Network.address(), listener.getLocalPort())));
      try (Socket server = listener.accept()) {
        value(client.write(Bytes.ascii("x")));
        assertThat(server.getInputStream().read()).isEqualTo('x');
        server.getOutputStream().write('y');
        readAll(client, ByteBuffer.allocate(1));
        LockSupport.parkNanos(random.nextInt(4_000_000));

        server.getOutputStream().write(new byte[1000]);
        server.setSoLinger(true, 0);
      }
      if (random.nextBoolean()) {
        Thread.sleep(random.nextInt(6)); // or the reader is there first
      }

      readAll(client, ByteBuffer.allocate(1000));
      assertThat(failure(client.read(ByteBuffer.allocate(1))))
          .as("round %d", i)
          .isInstanceOf(IOException.class)
          .hasMessage("Connection reset");
      client.close();
    }
  }

  @Test
  void writingToAPeerThatIsGoneFailsInTheEnd() throws Exception {
    Ends ends = settledPair();
    ends.server().close();
    assertThat(value(ends.client().read(ByteBuffer.allocate(1)))).isEqualTo(-1);

    Throwable failure = null;
    for (int i = 0; i < 1000 && failure == null; i++) {
      try {
        ends.client().write(Bytes.ascii("anybody there?")).get();
        Thread.sleep(1);
      } catch (java.util.concurrent.ExecutionException e) {
        failure = e.getCause();
      }
    }

    assertThat(failure).isInstanceOf(IOException.class);
  }
}
