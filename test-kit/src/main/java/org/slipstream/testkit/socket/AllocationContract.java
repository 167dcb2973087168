package org.slipstream.testkit.socket;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.AllocationCheck;
import org.slipstream.testkit.Background;

/**
 * Reading and writing in steady state does not allocate, where the carrier says so; elsewhere it is
 * only measured.
 */
public abstract class AllocationContract extends SocketContract {

  /** Nothing is opened yet. */
  protected AllocationContract() {}

  @ParameterizedTest
  @ValueSource(ints = {64, 4000})
  void readsAndWritesDoNotAllocate(int size, TestReporter reporter) throws Exception {
    Ends ends = settledPair();
    byte[] message = new byte[size];
    OutputStream out = ends.client().getOutputStream();
    InputStream in = ends.server().getInputStream();
    OutputStream back = ends.server().getOutputStream();
    InputStream answer = ends.client().getInputStream();

    assertAllocatesNothing(
        reporter,
        () -> {
          out.write(message);
          readFully(in, message);
          back.write(message);
          readFully(answer, message);
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 30_000})
  void waitingInAReadDoesNotAllocate(int timeout, TestReporter reporter) throws Exception {
    Ends ends = settledPair();
    ends.client().setSoTimeout(timeout);
    Background<@Nullable Void> echo =
        Background.run(() -> {
          byte[] message = new byte[64];
          int n = ends.server().getInputStream().read(message);
          while (n >= 0) {
            ends.server().getOutputStream().write(message, 0, n);
            n = ends.server().getInputStream().read(message);
          }
        });
    byte[] message = new byte[64];
    OutputStream out = ends.client().getOutputStream();
    InputStream in = ends.client().getInputStream();

    assertAllocatesNothing(
        reporter,
        () -> {
          out.write(message);
          readFully(in, message);
        });
    ends.client().shutdownOutput();
    echo.result();
  }

  @Test
  void availableDoesNotAllocate(TestReporter reporter) throws Exception {
    Ends ends = settledPair();
    InputStream in = ends.client().getInputStream();

    assertAllocatesNothing(reporter, in::available);
  }

  private static void readFully(InputStream in, byte[] target) throws IOException {
    for (int n = 0; n < target.length; ) {
      n += in.read(target, n, target.length - n);
    }
  }

  private void assertAllocatesNothing(TestReporter reporter, AllocationCheck.Round round)
      throws Exception {
    AllocationCheck.assertAllocatesNothing(carrier(), reporter, round);
  }
}
