package org.slipstream.testkit.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.ThreadKind;

/** What has been closed is gone: no descriptor and no thread stays behind. */
public abstract class LeakContract extends SocketContract {

  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final int WARM_UP = 5;
  private static final int CYCLES = 60;
  private static final int SLACK = 8;
  private static final Duration GRACE = Patience.DEADLINE;

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
    InetSocketAddress nobody = deadAddress();
    assertLeavesNothingBehind(() -> {
      assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> open().connect(nobody));
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

  private static void assertLeavesNothingBehind(Background.Action cycle) throws Exception {
    run(cycle, WARM_UP);
    long descriptors = descriptors();
    int threads = Thread.getAllStackTraces().size();

    run(cycle, CYCLES);

    Patience.await()
        .atMost(GRACE)
        .untilAsserted(() -> {
          assertThat(descriptors()).as("descriptors").isLessThan(descriptors + SLACK);
          assertThat(Thread.getAllStackTraces().size()).as("threads").isLessThan(threads + SLACK);
        });
  }

  private static void run(Background.Action cycle, int times) throws Exception {
    for (int i = 0; i < times; i++) {
      cycle.run();
    }
  }

  private static long descriptors() {
    try (Stream<Path> all = Files.list(DESCRIPTORS)) {
      return all.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
