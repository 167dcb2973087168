package org.slipstream.testkit.conformance;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.AllocationCheck;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;

/**
 * Reading and writing in steady state does not allocate, where the carrier says so; elsewhere it is
 * only measured.
 */
public abstract class AllocationContract extends NioContract {

  /** Nothing is opened yet. */
  protected AllocationContract() {}

  @ParameterizedTest
  @CsvSource({"64, true", "64, false", "4000, true", "4000, false"})
  void blockingReadsAndWritesDoNotAllocate(int size, boolean direct, TestReporter reporter)
      throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer buffer = buffer(size, direct);

    assertAllocatesNothing(
        reporter,
        () -> {
          send(pair.client(), buffer);
          receive(pair.server(), buffer);
          send(pair.server(), buffer);
          receive(pair.client(), buffer);
        });
  }

  @ParameterizedTest
  @CsvSource({"64, true", "64, false", "4000, true", "4000, false"})
  void nonBlockingReadsAndWritesDoNotAllocate(int size, boolean direct, TestReporter reporter)
      throws Exception {
    Pair pair = net().settledNonBlockingPair();
    ByteBuffer buffer = buffer(size, direct);
    ByteBuffer empty = buffer(size, direct);

    assertAllocatesNothing(
        reporter,
        () -> {
          pair.client().read(empty.clear());
          send(pair.client(), buffer);
          receive(pair.server(), buffer);
          pair.server().read(empty.clear());
          send(pair.server(), buffer);
          receive(pair.client(), buffer);
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void scatteringAndGatheringDoesNotAllocate(boolean direct, TestReporter reporter)
      throws Exception {
    Pair pair = net().settledPair();
    ByteBuffer[] buffers = {buffer(20, direct), buffer(44, direct)};

    assertAllocatesNothing(
        reporter,
        () -> {
          clear(buffers);
          while (buffers[1].hasRemaining()) {
            pair.client().write(buffers);
          }
          clear(buffers);
          while (buffers[1].hasRemaining()) {
            pair.server().read(buffers);
          }
        });
  }

  @Test
  void waitingInABlockingReadDoesNotAllocate(TestReporter reporter) throws Exception {
    Pair pair = net().settledPair();
    Background<@Nullable Void> echo =
        Background.run(() -> {
          ByteBuffer buffer = buffer(64, true);
          while (pair.server().read(buffer.clear()) >= 0) {
            Bytes.write(pair.server(), buffer.flip());
          }
        });
    ByteBuffer buffer = buffer(64, true);

    assertAllocatesNothing(
        reporter,
        () -> {
          send(pair.client(), buffer);
          receive(pair.client(), buffer);
        });
    pair.client().shutdownOutput();
    echo.result();
  }

  private void assertAllocatesNothing(TestReporter reporter, AllocationCheck.Round round)
      throws Exception {
    AllocationCheck.assertAllocatesNothing(carrier(), reporter, round);
  }

  private static ByteBuffer buffer(int size, boolean direct) {
    return direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
  }

  private static void clear(ByteBuffer[] buffers) {
    for (ByteBuffer buffer : buffers) {
      buffer.clear();
    }
  }

  private static void send(SocketChannel channel, ByteBuffer buffer) throws IOException {
    Bytes.write(channel, buffer.clear());
  }

  private static void receive(SocketChannel channel, ByteBuffer buffer) throws IOException {
    Bytes.read(channel, buffer.clear());
  }
}
