package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.api.ConnectionState;
import org.slipstream.core.api.Reason;
import org.slipstream.core.ring.ProtocolViolationException;
import org.slipstream.transport.ControlLayout;

/** The receiving direction of one stream, with the test in the place of the peer. */
@Timeout(240)
class InboundSwitchTest {
  private static final long TIMEOUT_NS = 500_000_000;
  private static final byte[] WRONG = "fedcba9876543210".getBytes(StandardCharsets.US_ASCII);

  @Test
  void rawBytesBeforeTheCountAndRingBytesBehindMarkFollowOneAnother() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.wire("hello ");
      b.peerSwitchesAt(6);
      b.toRing("world");
      assertThat(b.readFully(11)).isEqualTo("hello world");
      assertThat(b.stream.status().inOnRing()).isTrue();
      assertThat(b.stream.status().plainBytesIn()).isEqualTo(6);
      assertThat(b.stream.status().ringBytesIn()).isEqualTo(5);
    }
  }

  /** A wait that began anew with each doorbell would not end while doorbells come. */
  @Test
  void doorbellsWhileAReadWaitsDoNotMoveItsDeadline() throws Exception {
    try (Bench b = Bench.server().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("x");
      assertThat(b.read(1, true)).isEqualTo("x");
      assertThat(b.stream.status().inOnRing()).isTrue();
      FutureTask<Throwable> reader =
          new FutureTask<>(() ->
              catchThrowable(() -> {
                long deadline = System.nanoTime() + TIMEOUT_NS;
                b.stream.read(ByteBuffer.allocate(1), true, deadline);
              }));
      Thread.ofPlatform().daemon().start(reader);
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofNanos(TIMEOUT_NS / 50))
          .until(() -> {
            b.wire(ControlBytes.DOORBELL);
            return reader.isDone();
          });
      assertThat(reader.get()).isInstanceOf(SocketTimeoutException.class);
      // And the doorbells are no data: the next byte is.
      b.toRing("y");
      assertThat(b.read(1, true)).isEqualTo("y");
    }
  }

  @ParameterizedTest(name = "buffers of {0}")
  @ValueSource(ints = {1, 2, 3, 5, 6, 7, 16, 21, 22, 23, 100})
  void theSwitchMayComeInTheMiddleOfAReadOfAnySize(int room) throws Exception {
    try (Bench b = Bench.server().attached()) {
      b.wire("hello ");
      b.wire(b.nonce);
      // Published only now: the program has MARK in its buffer when the count becomes visible.
      b.peer.producer().epochs().begin(6);
      b.toRing("world");
      StringBuilder all = new StringBuilder();
      while (all.length() < 11) {
        all.append(b.read(room, true));
      }
      assertThat(all.toString()).isEqualTo("hello world");
    }
  }

  @ParameterizedTest(name = "the first {0} bytes of MARK come alone")
  @ValueSource(ints = {1, 2, 7, 8, 14, 15})
  void markMayBeSplitAnywhere(int first) throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.wireAndWait("hi".getBytes(StandardCharsets.US_ASCII));
      b.peer.producer().epochs().begin(2);
      b.toRing("ring");
      b.wireAndWait(Arrays.copyOf(b.nonce, first));
      assertThat(b.readFully(2)).isEqualTo("hi");
      assertThat(b.read(10, false)).as("not all of MARK is there").isEmpty();
      assertThat(b.stream.status().inOnRing()).isFalse();
      b.wireAndWait(Arrays.copyOfRange(b.nonce, first, 16));
      assertThat(b.readFully(4)).isEqualTo("ring");
    }
  }

  @Test
  void everyByteOfTheTcpConnectionMayComeAlone() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.peer.producer().epochs().begin(3);
      b.toRing("ring");
      StringBuilder all = new StringBuilder();
      byte[] tcp =
          ("abc" + new String(b.nonce, StandardCharsets.US_ASCII))
              .getBytes(StandardCharsets.US_ASCII);
      for (byte controlByte : tcp) {
        b.wireAndWait(controlByte);
        all.append(b.read(10, false));
      }
      assertThat(all + b.readFully(7 - all.length())).isEqualTo("abcring");
    }
  }

  @Test
  void aWrongMarkIsDataAndTheStreamStaysPlain() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.wire("hello ");
      b.peer.producer().epochs().begin(6);
      b.wire(WRONG);
      b.wire(" and more");
      assertThat(b.readFully(31)).isEqualTo("hello fedcba9876543210 and more");
      assertThat(b.stream.reason()).isEqualTo(Reason.WRONG_PEER);
      assertThat(b.stream.status().inOnRing()).isFalse();
      assertThat(b.write("answer", false)).isEqualTo(6);
      assertThat(b.fromWire(6)).isEqualTo("answer");
      assertThat(b.stream.status().outOnRing()).isFalse();
    }
  }

  @Test
  void backWithRawBytesBehindItInTheSameReadLosesNothing() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("on the ring, ");
      b.wire(b.back(13));
      b.wire("and raw again");
      assertThat(b.readFully(26)).isEqualTo("on the ring, and raw again");
      assertThat(b.stream.status().inOnRing()).isFalse();
      assertThat(b.peer.producer().epochs().isOver()).isTrue();
    }
  }

  @Test
  void backAndASecondSwitchMayComeInOneRead() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("first ");
      b.wire(b.back(6));
      b.wire("raw ");
      assertThat(b.readFully(10)).isEqualTo("first raw ");
      b.peerSwitchesAt(4);
      b.toRing("second");
      assertThat(b.readFully(6)).isEqualTo("second");
      assertThat(b.stream.status().inOnRing()).isTrue();
    }
  }

  @ParameterizedTest(name = "{0} bytes of BACK come first")
  @ValueSource(ints = {1, 4, 8})
  void backMayBeSplitAnywhere(int first) throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("x");
      assertThat(b.readFully(1)).isEqualTo("x");
      byte[] back = b.back(1);
      b.wireAndWait(Arrays.copyOf(back, first));
      assertThat(b.read(10, false)).isEmpty();
      b.wireAndWait(Arrays.copyOfRange(back, first, back.length));
      b.wire("raw");
      assertThat(b.readFully(3)).isEqualTo("raw");
    }
  }

  @Test
  void aBackPositionThatIsNotThePublishedOneEndsTheStream() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("12345");
      b.wire(b.back(4));
      assertThat(b.readFully(5)).isEqualTo("12345");
      assertThatThrownBy(() -> b.readFully(1)).isInstanceOf(ProtocolViolationException.class);
    }
  }

  @ParameterizedTest(name = "byte {0}")
  @ValueSource(bytes = {0, 4, 77, -1})
  void anUnknownControlByteEndsTheStreamWithAnIoException(byte controlByte) throws Exception {
    try (Bench b = Bench.server().attached()) {
      b.peerSwitchesAt(0);
      b.wire(controlByte);
      assertThatThrownBy(() -> b.read(10, true))
          .isInstanceOf(ProtocolViolationException.class)
          .hasMessageContaining("control byte " + controlByte);
      assertThatThrownBy(() -> b.read(10, true)).isInstanceOf(IOException.class);
    }
  }

  @ParameterizedTest(name = "a count of {0}")
  @ValueSource(longs = {0, 3, 4})
  void aSwitchInThePastBeforeTheProofIsAnUnrelatedProcessesAndTheStreamStaysPlain(long count)
      throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.wire("12345");
      assertThat(b.readFully(5)).isEqualTo("12345");
      b.peer.producer().epochs().begin(count);
      b.toRing("from an unrelated process");
      b.wireAndWait("more data".getBytes(StandardCharsets.US_ASCII));
      assertThat(b.stream.available()).isEqualTo(9);
      assertThat(b.readFully(9)).isEqualTo("more data");
      assertUnrelated(b);
    }
  }

  @Test
  void aSwitchInThePastThatComesDuringAReadIsAnUnrelatedProcessesToo() throws Exception {
    try (Bench b = Bench.server().attached()) {
      b.wire("12345");
      assertThat(b.read(5, true)).isEqualTo("12345");
      CompletableFuture<String> reader = new CompletableFuture<>();
      Thread.ofPlatform()
          .start(() -> {
            try {
              reader.complete(b.read(10, true));
            } catch (IOException | RuntimeException e) {
              reader.completeExceptionally(e);
            }
          });
      await().atMost(Duration.ofSeconds(60)).until(() -> b.stream.in().lock.isLocked());
      b.peer.producer().epochs().begin(3);
      b.wire("more");
      assertThat(reader.get()).isEqualTo("more");
      b.nonBlocking();
      assertUnrelated(b);
    }
  }

  @Test
  void aCountThatChangesWhenMarkSeemedToBeginIsAnUnrelatedProcessesAndNoByteIsLost()
      throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.peer.producer().epochs().begin(0);
      b.wireAndWait(Arrays.copyOf(b.nonce, 3));
      assertThat(b.read(10, false)).as("it looks like MARK").isEmpty();
      b.peer.link().publish(ControlLayout.SWITCH_AT, 0);
      b.wireAndWait("456".getBytes(StandardCharsets.US_ASCII));
      assertThat(b.readFully(6)).isEqualTo("012456");
      assertUnrelated(b);
    }
  }

  @Test
  void aSwitchInThePastOfAProvenPeerEndsTheStreamWithAnIoException() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("x");
      b.wire(b.back(1));
      b.wire("12345");
      assertThat(b.readFully(6)).isEqualTo("x12345");
      b.peer.producer().epochs().begin(3);
      assertThatThrownBy(() -> b.read(10, false)).isInstanceOf(ProtocolViolationException.class);
    }
  }

  /** Data of an unrelated process leave a stream that works and has no link any more. */
  private static void assertUnrelated(Bench b) throws IOException {
    assertThat(b.stream.reason()).isEqualTo(Reason.WRONG_PEER);
    assertThat(b.stream.status().inOnRing()).isFalse();
    assertThat(b.write("answer", false)).isEqualTo(6);
    assertThat(b.fromWire(6)).isEqualTo("answer");
    assertThat(b.stream.status().outOnRing()).isFalse();
    b.wire("and on");
    assertThat(b.readFully(6)).isEqualTo("and on");
  }

  @Test
  void theEndAtAPositionIsReadBehindTheBytesThoughTcpStaysOpen() throws Exception {
    try (Bench b = Bench.server().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("last words");
      b.peer.producer().publishFin();
      assertThat(b.read(100, true)).isEqualTo("last words");
      assertThat(b.stream.status().state()).isEqualTo(ConnectionState.CLOSE_WAIT);
      assertThat(b.read(100, true)).isEqualTo("end");
    }
  }

  @Test
  void theEndOfTcpWithoutAFinalPositionDrainsTheRingFirst() throws Exception {
    try (Bench b = Bench.server().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("last words");
      b.wire.close();
      assertThat(b.read(4, true)).isEqualTo("last");
      assertThat(b.read(100, true)).isEqualTo(" words");
      assertThat(b.read(100, true)).isEqualTo("end");
      assertThat(b.read(100, true)).isEqualTo("end");
    }
  }

  @Test
  void theResetFlagLetsQueuedBytesOutAndThenResets() throws Exception {
    try (Bench b = Bench.server().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("queued");
      b.peer.producer().publishFlags(ControlLayout.FLAG_RESET | ControlLayout.FLAG_CLOSED);
      assertThat(b.read(100, true)).isEqualTo("queued");
      assertThatThrownBy(() -> b.read(100, true))
          .isInstanceOf(SocketException.class)
          .hasMessage("Connection reset");
    }
  }

  @Test
  void aFinalPositionThatIsWrongEndsTheStreamWithAnIoException() throws Exception {
    try (Bench b = Bench.server().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("abc");
      assertThat(b.read(3, true)).isEqualTo("abc");
      b.peer.link().publish(ControlLayout.FIN_AT, 2);
      assertThatThrownBy(() -> b.read(100, true)).isInstanceOf(ProtocolViolationException.class);
    }
  }

  @Test
  void aReaderThatSleepsGetsOneDoorbellAndReadsWhatCame() throws Exception {
    try (Bench b = Bench.server().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("a");
      assertThat(b.read(10, true)).isEqualTo("a");
      Thread reader =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  b.eligible.clear();
                  assertThat(b.read(10, true)).isEqualTo("bc");
                  b.unused.set(77);
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() ->
              b.peer
                      .link()
                      .receiveControl()
                      .get(java.lang.foreign.ValueLayout.JAVA_INT, ControlLayout.ARMED)
                  != 0);
      b.toRing("bc");
      reader.join();
      assertThat(b.unused.get()).isEqualTo(77);
      assertThat(b.signalled.get()).isEqualTo(1);
    }
  }

  /** A program may ask until something has come, and read only then. */
  @ParameterizedTest(name = "blocking: {0}")
  @ValueSource(booleans = {true, false})
  void aProgramThatOnlyAsksWhatIsAvailableSeesBytesBehindMark(boolean blocking) throws Exception {
    try (Bench b = blocking ? Bench.server().attached() : Bench.server().nonBlocking().attached()) {
      b.wireAndWait("raw".getBytes(StandardCharsets.US_ASCII));
      assertThat(b.stream.available()).isEqualTo(3);
      assertThat(b.readFully(3)).isEqualTo("raw");
      b.peer.producer().epochs().begin(3);
      b.wireAndWait(Arrays.copyOf(b.nonce, 7));
      b.toRing("hello");
      assertThat(b.stream.available()).isZero();
      b.wireAndWait(Arrays.copyOfRange(b.nonce, 7, 16));
      assertThat(b.stream.available()).isEqualTo(5);
      assertThat(b.readFully(5)).isEqualTo("hello");
      assertThat(b.stream.available()).isZero();
    }
  }

  @ParameterizedTest(name = "blocking: {0}")
  @ValueSource(booleans = {true, false})
  void aProgramThatOnlyAsksWhatIsAvailableSeesThatTheStreamFellBack(boolean blocking)
      throws Exception {
    try (Bench b = blocking ? Bench.server().attached() : Bench.server().nonBlocking().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("x");
      assertThat(b.readFully(1)).isEqualTo("x");
      assertThat(b.stream.available()).isZero();
      b.wireAndWait(b.back(1));
      b.wireAndWait("raw".getBytes(StandardCharsets.US_ASCII));
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> b.stream.available() == 3); // the TCP connection is not asked each time
      assertThat(b.readFully(3)).isEqualTo("raw");
    }
  }

  /** A read of the kernel's channel would close it. */
  @Test
  void askingWhatIsAvailableDoesNotAnswerAnInterrupt() throws Exception {
    try (Bench b = Bench.server().attached()) {
      b.peer.producer().epochs().begin(0);
      b.wireAndWait(b.nonce);
      b.toRing("hello");
      Thread.currentThread().interrupt();
      assertThat(b.stream.available()).isZero();
      assertThat(Thread.interrupted()).isTrue();
      assertThat(b.stream.available()).isEqualTo(5);
    } finally {
      Thread.interrupted();
    }
  }
}
