package org.slipstream.testkit.asynchronous;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Seed;
import org.slipstream.testkit.shape.EveryEndContract;
import org.slipstream.testkit.shape.EveryResetContract;

/** The end of a stream, or of one direction, by either side. */
public abstract class EndContract extends AsynchronousContract
    implements EveryEndContract, EveryResetContract {

  @RegisterExtension final Seed seeds = new Seed();

  /** Nothing is opened yet. */
  protected EndContract() {}

  @Override
  public final Random random() {
    return seeds.random();
  }

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
}
