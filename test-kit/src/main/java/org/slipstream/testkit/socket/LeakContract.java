package org.slipstream.testkit.socket;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.LeakCheck;
import org.slipstream.testkit.ThreadKind;

/** What has been closed is gone: no descriptor, no thread, no link and no memory stays behind. */
@Tag(LeakCheck.WHOLE_PROCESS)
public abstract class LeakContract extends SocketContract {

  /** Nothing is opened yet. */
  protected LeakContract() {}

  @Test
  void closedSocketsLeaveNothingBehind() throws Exception {
    ServerSocket listener = listen();
    assertLeavesNothingBehind(() -> {
      Ends ends = pair(listener);
      talk(ends);
      close(ends);
    });
  }

  @Test
  void closedSettledSocketsLeaveNothingBehind() throws Exception {
    assertLeavesNothingBehind(() -> {
      Ends ends = settledPair();
      talk(ends);
      close(ends);
    });
  }

  @Test
  void socketsThatAreClosedUnderAReaderLeaveNothingBehind() throws Exception {
    assertLeavesNothingBehind(() -> {
      Ends ends = settledPair();
      Background<Integer> read =
          Background.call(ThreadKind.VIRTUAL, () -> ends.client().getInputStream().read());
      close(ends);
      while (!read.isDone()) {
        Thread.onSpinWait();
      }
    });
  }

  @Test
  void resetSocketsLeaveNothingBehind() throws Exception {
    assertLeavesNothingBehind(() -> {
      Ends ends = settledPair();
      send(ends.server(), "unread");
      reset(ends.client());
      ends.server().close();
    });
  }

  @Test
  void failedAndUnusedSocketsLeaveNothingBehind() throws Exception {
    InetSocketAddress dead = deadAddress();
    assertLeavesNothingBehind(() -> {
      assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> open().connect(dead));
      Socket bound = sockets().open();
      bound.setTcpNoDelay(true);
      bound.close();
      openServer().close();
      listen().close();
    });
  }

  private static void close(Ends ends) throws IOException {
    ends.client().close();
    ends.server().close();
  }

  private void assertLeavesNothingBehind(Background.Action cycle) throws Exception {
    LeakCheck.assertLeavesNothingBehind(carrier(), cycle);
  }
}
