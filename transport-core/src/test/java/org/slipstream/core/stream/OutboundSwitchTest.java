package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.core.api.Reason;
import org.slipstream.transport.ControlLayout;

/** The sending direction of one stream, with the test in the place of the peer. */
@Timeout(240)
class OutboundSwitchTest {

  private static String mark(Bench b) {
    return new String(b.nonce, StandardCharsets.US_ASCII);
  }

  /** A server whose client has shown its MARK, and whose own first write went into the ring. */
  private static Bench switchedServer(int ringBytes) throws IOException {
    Bench b = Bench.server(ringBytes).nonBlocking().attached();
    b.wireAndWait();
    b.peer.producer().epochs().begin(0);
    b.wireAndWait(b.nonce);
    assertThat(b.read(10, false)).isEmpty();
    assertThat(b.write("!", false)).isEqualTo(1);
    assertThat(b.fromWire(16)).isEqualTo(mark(b));
    assertThat(b.fromRing()).isEqualTo("!");
    return b;
  }

  @Test
  void aClientSwitchesAtItsNextWriteAndTheRawCountIsExact() throws Exception {
    try (Bench b = Bench.client()) {
      b.write("raw", true);
      b.attached();
      b.write("ring", true);
      assertThat(b.fromWire(19)).isEqualTo("raw" + mark(b));
      assertThat(b.peer.consumer().epochs().nextAt()).isEqualTo(3);
      assertThat(b.fromRing()).isEqualTo("ring");
      assertThat(b.stream.status().outOnRing()).isTrue();
    }
  }

  @Test
  void aClientThatDoesNotWriteIsSwitchedByANudge() throws Exception {
    try (Bench b = Bench.client().attached()) {
      b.stream.nudge();
      assertThat(b.fromWire(16)).isEqualTo(mark(b));
      assertThat(b.stream.status().outOnRing()).isTrue();
    }
  }

  @Test
  void aServerStaysOnTheTcpConnectionUntilItHasReadTheClientsMark() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      assertThat(b.write("raw", false)).isEqualTo(3);
      assertThat(b.fromWire(3)).isEqualTo("raw");
      b.peer.producer().epochs().begin(0);
      b.wireAndWait(b.nonce);
      // A server that only writes takes MARK off the TCP connection itself.
      assertThat(b.write("ring", false)).isEqualTo(4);
      assertThat(b.fromWire(16)).isEqualTo(mark(b));
      assertThat(b.fromRing()).isEqualTo("ring");
    }
  }

  @Test
  void aServerIsNotMovedByASwitchCountWithoutMark() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.peer.producer().epochs().begin(0);
      assertThat(b.write("raw", false)).isEqualTo(3);
      assertThat(b.fromWire(3)).isEqualTo("raw");
      assertThat(b.stream.status().outOnRing()).isFalse();
    }
  }

  @Test
  void aDirectionFallsBackWhenItsLinkDiesAndNothingIsLost() throws Exception {
    try (Bench b = switchedServer(16 * 1024)) {
      assertThat(b.write("in the ring", false)).isEqualTo(11);
      b.link.markDead();
      assertThat(b.write("over TCP here", false)).isEqualTo(13);
      assertThat(b.fromRing()).isEqualTo("in the ring");
      byte[] back = new byte[9];
      ByteBuffer controlBytes = ByteBuffer.wrap(back);
      while (controlBytes.hasRemaining()) {
        b.wire.read(controlBytes);
      }
      assertThat(back).isEqualTo(b.back(12));
      assertThat(b.fromWire(13)).isEqualTo("over TCP here");
      assertThat(b.stream.status().reason()).isEqualTo(Reason.LINK_LOST);
    }
  }

  @Test
  void aWriterThatWaitsForSpaceFallsBackWhenTheLinkDies() throws Exception {
    try (Bench b = Bench.client().attached()) {
      b.write("x", true);
      b.fromWire(16);
      ByteBuffer much = ByteBuffer.allocate(3 * Bench.RING);
      CompletableFuture<Integer> writer =
          CompletableFuture.supplyAsync(() -> {
            try {
              return b.stream.write(much, true);
            } catch (IOException e) {
              throw new java.io.UncheckedIOException(e);
            }
          });
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> b.stream.status().ringBytesOut() == Bench.RING);
      b.link.markDead();
      b.stream.linkChanged();
      int ring = b.fromRing().length();
      assertThat(b.fromWire(9)).startsWith("\u0003");
      b.fromWire(1 + 3 * Bench.RING - ring);
      assertThat(writer.get(60, TimeUnit.SECONDS)).isEqualTo(3 * Bench.RING);
    }
  }

  @Test
  void aStreamWhosePeerClosedDoesNotFallBack() throws Exception {
    try (Bench b = switchedServer(16 * 1024)) {
      b.peer.producer().publishTaken();
      b.link.markPeerClosed();
      b.link.markDead();
      assertThat(b.write("as TCP: seems to succeed", false)).isEqualTo(24);
      assertThatThrownBy(() -> b.write("x", false)).hasMessage("Broken pipe");
      assertThat(b.fromRing()).isEmpty();
    }
  }

  @Test
  void aRingThatStaysFullOverflowsAndTheDirectionComesBackWhenThePeerCaughtUp() throws Exception {
    try (Bench b = switchedServer(16 * 1024)) {
      ByteBuffer flood = ByteBuffer.allocate(40 * 1024);
      for (int i = 0; i < flood.capacity(); i++) {
        flood.put(i, (byte) ('a' + i % 26));
      }
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInSameThread()
          .until(() -> {
            b.stream.write(flood, false);
            return !flood.hasRemaining();
          });
      assertThat(b.stream.status().outOnRing()).as("overflowed").isFalse();
      // What lies in the ring comes first, then BACK with that position, then raw bytes.
      String inRing = b.fromRing();
      byte[] back = new byte[9];
      ByteBuffer controlBytes = ByteBuffer.wrap(back);
      while (controlBytes.hasRemaining()) {
        b.wire.read(controlBytes);
      }
      assertThat(back).isEqualTo(b.back(1 + inRing.length()));
      String raw = b.fromWire(40 * 1024 - inRing.length());
      assertThat((inRing + raw).getBytes(StandardCharsets.US_ASCII)).isEqualTo(flood.array());
      // Only when the peer says that it has read BACK may the ring be used again.
      assertThat(b.write("still raw", false)).isEqualTo(9);
      assertThat(b.fromWire(9)).isEqualTo("still raw");
      b.peer.consumer().epochs().begin();
      b.peer.consumer().endEpoch();
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInSameThread()
          .until(() -> {
            b.write("x", false);
            return b.stream.status().outOnRing();
          });
    }
  }

  /**
   * The JDK closes the TCP connection of an interrupted writer before the stream hears of it. A
   * doorbell that was not read made the kernel's end a reset then, and the raw bytes under way were
   * lost.
   */
  @Test
  void anInterruptedWriterThatOverflowedLosesNothingForAStaleDoorbell() throws Exception {
    try (Bench b = Bench.server(16 * 1024).attached()) {
      b.peerSwitchesAt(0);
      b.toRing("in");
      assertThat(b.read(2, true)).isEqualTo("in");
      b.wireAndWait(ControlBytes.DOORBELL);
      CompletableFuture<Throwable> end = new CompletableFuture<>();
      Thread writer =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  b.stream.write(ByteBuffer.allocate(64 << 20), true);
                  end.completeExceptionally(new AssertionError("the kernel took it all"));
                } catch (IOException e) {
                  end.complete(e);
                }
              });
      awaitFull(b);
      assertThat(b.stream.status().outOnRing()).as("overflowed").isFalse();

      writer.interrupt();

      assertThat(end.get(60, TimeUnit.SECONDS)).isInstanceOf(ClosedByInterruptException.class);
      b.stream.close(true);
      assertThat(b.fromRing()).hasSize(16 * 1024);
      ByteBuffer raw = ByteBuffer.allocate(1 << 20);
      long read = 0;
      for (int n = 0; n >= 0; n = b.wire.read(raw.clear())) {
        read += n; // a reset would throw
      }
      assertThat(read).isGreaterThan(b.nonce.length + 9);
    }
  }

  @Test
  void aProcessThatEndsBehindAStaleDoorbellEndsWithoutAReset() throws Exception {
    try (Bench b = switchedServer(16 * 1024)) {
      b.toRing("in");
      assertThat(b.read(2, false)).isEqualTo("in");
      b.wireAndWait(ControlBytes.DOORBELL);
      b.stream.takeControlBytes();
      assertThat(b.write("still here", false)).isEqualTo(10);

      b.stream.tcp().close(); // as the kernel does when the process is gone

      assertThat(b.fromRing()).isEqualTo("still here");
      assertThat(b.wire.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }
  }

  /** Raw bytes have come to the peer's kernel, and no more do: the writer is blocked. */
  private static void awaitFull(Bench b) {
    int[] before = {-1};
    await()
        .atMost(Duration.ofSeconds(60))
        .pollDelay(Duration.ofMillis(200))
        .pollInterval(Duration.ofMillis(200))
        .until(() -> {
          int last = before[0];
          before[0] = b.wire.socket().getInputStream().available();
          return before[0] > 16 * 1024 && before[0] == last;
        });
  }

  @Test
  void anEmptyRingThatWasNeverFullDoesNotOverflow() throws Exception {
    try (Bench b = switchedServer(16 * 1024)) {
      for (int i = 0; i < 50; i++) {
        assertThat(b.write("y".repeat(10_000), false)).isEqualTo(10_000);
        assertThat(b.fromRing()).hasSize(10_000);
      }
      assertThat(b.stream.status().outOnRing()).isTrue();
    }
  }

  @Test
  void aBlockedWriterIsWokenByCredit() throws Exception {
    try (Bench b = Bench.client().attached()) {
      ByteBuffer flood = ByteBuffer.allocate(3 * Bench.RING);
      CompletableFuture<Integer> writer =
          CompletableFuture.supplyAsync(() -> {
            try {
              return b.stream.write(flood, true);
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
      long read = 0;
      while (b.stream.status().outOnRing() || read == 0) {
        int n = b.fromRing().length();
        read += n;
        if (b.peer.consumer().credit().takeNotice()) {
          b.stream.linkChanged();
        }
        if (read == flood.capacity()) {
          break;
        }
      }
      assertThat(writer.get(60, TimeUnit.SECONDS)).isEqualTo(flood.capacity());
    }
  }

  @Test
  void whatIsWrittenAfterThePeerClosedSeemsToSucceedOnceAndThenFails() throws Exception {
    try (Bench b = switchedServer(16 * 1024)) {
      b.peer.producer().publishTaken();
      b.peer.producer().publishFlags(ControlLayout.FLAG_CLOSED);
      assertThat(b.write("into the void", false)).isEqualTo(13);
      assertThatThrownBy(() -> b.write("again", false))
          .isInstanceOf(IOException.class)
          .hasMessage("Broken pipe");
    }
  }

  /** In the kernel the bytes themselves are that first write: a reset answers them. */
  @Test
  void bytesThatArriveAfterThePeerHasClosedFailTheNextWrite() throws Exception {
    try (Bench b = switchedServer(16 * 1024)) {
      assertThat(b.write("on their way while it closes", false)).isEqualTo(28);
      b.peer.producer().publishFlags(ControlLayout.FLAG_CLOSED);
      assertThatThrownBy(() -> b.write("again", false))
          .isInstanceOf(IOException.class)
          .hasMessage("Broken pipe");
    }
  }

  @Test
  void aPeerThatClosesHasSaidHowMuchItTookOut() throws Exception {
    try (Bench b = switchedServer(16 * 1024)) {
      ByteBuffer seven = ByteBuffer.wrap("seven..".getBytes(StandardCharsets.US_ASCII));
      b.peer.producer().write(seven, () -> true);
      assertThat(b.read(10, false)).isEqualTo("seven..");
      assertThat(b.peer.producer().credit().isDrained()).isFalse();
      b.stream.close(false);
      assertThat(b.peer.producer().credit().isDrained()).isTrue();
    }
  }

  @Test
  void aResetPeerFailsTheNextWriteAtOnce() throws Exception {
    try (Bench b = switchedServer(16 * 1024)) {
      b.peer.producer().publishFlags(ControlLayout.FLAG_RESET | ControlLayout.FLAG_CLOSED);
      assertThatThrownBy(() -> b.write("no", false))
          .isInstanceOf(IOException.class)
          .hasMessage("Connection reset by peer");
      assertThatThrownBy(() -> b.write("no", false))
          .isInstanceOf(IOException.class)
          .hasMessage("Broken pipe");
    }
  }

  @Test
  void aPeerThatGivesCreditForWhatItNeverGotEndsOnlyThisStreamWithAnIoException() throws Exception {
    try (Bench b = switchedServer(16 * 1024)) {
      b.peer.link().publish(ControlLayout.CREDIT, Long.MAX_VALUE);
      assertThatThrownBy(() -> b.stream.write(ByteBuffer.allocate(64 * 1024), false))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void aStreamWhoseRingIsRevokedGoesOnOverTcp() throws Exception {
    try (Bench b = switchedServer(16 * 1024)) {
      b.link.markRevoked();
      assertThat(b.write("raw", false)).isEqualTo(3);
      assertThat(b.fromWire(9).getBytes(StandardCharsets.US_ASCII)[0]).isEqualTo((byte) 3);
      assertThat(b.fromWire(3)).isEqualTo("raw");
      assertThat(b.stream.status().outOnRing()).isFalse();
    }
  }

  @Test
  void shutdownPublishesTheFinalPositionBeforeTheKernelsEnd() throws Exception {
    try (Bench b = switchedServer(16 * 1024)) {
      b.write("bye", false);
      b.stream.shutdownOutput();
      assertThat(b.fromRing()).isEqualTo("bye");
      assertThat(b.peer.consumer().finReached()).isTrue();
      assertThat(b.wire.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }
  }

  @Test
  void closePublishesTheClosedFlagAndGivesTheLinkBackOnce() throws Exception {
    try (Bench b = switchedServer(16 * 1024)) {
      b.stream.close(false);
      assertThat(b.peer.consumer().peerFlags() & ControlLayout.FLAG_CLOSED).isNotZero();
      assertThat(b.peer.consumer().finReached()).isTrue();
      b.stream.close(false);
      assertThat(b.unused.get()).isEqualTo(1);
    }
  }

  @Test
  void closeWithUnreadRingBytesIsAReset() throws Exception {
    try (Bench b = switchedServer(16 * 1024)) {
      b.toRing("never read");
      b.stream.close(false);
      assertThat(b.peer.consumer().peerFlags())
          .isEqualTo(ControlLayout.FLAG_CLOSED | ControlLayout.FLAG_RESET);
      assertThatThrownBy(() -> b.wire.read(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
    }
  }

  /** As a selector's thread or the control thread, which hold the lock for a moment. */
  @Test
  void aThreadThatOnlyLooksDoesNotKeepACloseFromWaitingForMark() throws Exception {
    try (Bench b = Bench.server().attached()) {
      b.write("answer", true);
      Thread closer;
      b.stream.in().lock.lock();
      try {
        closer =
            Thread.ofPlatform()
                .start(() -> {
                  try {
                    b.stream.close(true);
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
        Thread waits = closer;
        await()
            .atMost(Duration.ofSeconds(60))
            .pollInterval(Duration.ofMillis(1))
            .until(() -> waits.getState() == Thread.State.TIMED_WAITING || !waits.isAlive());
      } finally {
        b.stream.in().lock.unlock();
      }
      closer.join();
      assertThat(b.lingering.get()).isEqualTo(1);
    }
  }

  // -- urgent data -----------------------------------------------------------------------------

  @Test
  void urgentDataOnTheRingGoesInLineIfThePeerWantsThat() throws Exception {
    try (Bench b = switchedServer(16 * 1024)) {
      b.peer.producer().publishFlags(ControlLayout.FLAG_OOB_INLINE);
      b.stream.urgentData().send('u');
      assertThat(b.fromRing()).isEqualTo("u");
    }
  }

  @Test
  void urgentDataOnTheRingIsDroppedByThePeersKernelOtherwise() throws Exception {
    try (Bench b = switchedServer(16 * 1024)) {
      b.stream.urgentData().send('u');
      b.write("after", false);
      assertThat(b.fromRing()).isEqualTo("after");
      assertThat(b.stream.status().outOnRing()).isTrue();
    }
  }

  @Test
  void thePeerIsToldOfInlineUrgentDataBeforeOurDirectionHasSwitched() throws Exception {
    try (Bench b = Bench.server().attached()) {
      assertThat(b.stream.status().outOnRing()).isFalse();
      b.stream.urgentData().inlineChanged(true);
      assertThat(b.peer.consumer().peerFlags()).isEqualTo(ControlLayout.FLAG_OOB_INLINE);
      assertThat(b.stream.reason()).isEqualTo(Reason.NONE);
      b.stream.urgentData().inlineChanged(false);
      assertThat(b.peer.consumer().peerFlags()).isZero();
    }
  }

  @Test
  void aStreamThatUsedUrgentDataWhileItsOfferWasUnderWayIsNeverSwitched() throws Exception {
    try (Bench b = Bench.client()) {
      b.stream.stayPlain(Reason.OFFERED);
      b.stream.urgentData().send('u');
      assertThat(b.stream.reason()).isEqualTo(Reason.URGENT_DATA);
      b.attached();
      b.write("data", true);
      assertThat(b.stream.status().outOnRing()).isFalse();
      assertThat(b.stream.reason()).isEqualTo(Reason.URGENT_DATA);
    }
  }

  /** The reactor has decided on an offer, and says so when the program has used urgent data. */
  @Test
  void aStreamThatUsedUrgentDataAsItsOfferWasMadeIsNeverSwitched() throws Exception {
    try (Bench b = Bench.client()) {
      b.stream.urgentData().send('u');
      b.stream.stayPlain(Reason.OFFERED);
      assertThat(b.stream.reason()).isEqualTo(Reason.URGENT_DATA);
      b.attached();
      b.write("data", true);
      assertThat(b.stream.status().outOnRing()).isFalse();
    }
  }

  /** The client may be in the ring soon: its urgent bytes would come among the control bytes. */
  @Test
  void aPeerWhoseOfferIsBeingAcceptedIsToldOfInlineUrgentData() throws Exception {
    try (Bench b = Bench.server()) {
      b.stream.urgentData().inlineChanged(true);
      b.attached();
      assertThat(b.peer.consumer().peerFlags()).isEqualTo(ControlLayout.FLAG_OOB_INLINE);
      assertThat(b.stream.reason()).isEqualTo(Reason.URGENT_DATA);
    }
  }

  /** It has looked at the flag just before we set it, and our kernel's option is on by now. */
  @Test
  void anUrgentByteThatThePeerSentBeforeItKnewIsDropped() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      b.peerSwitchesAt(0);
      b.toRing("x");
      assertThat(b.readFully(1)).isEqualTo("x");
      b.stream.urgentData().inlineChanged(true);
      b.wireAndWait("!".getBytes(StandardCharsets.US_ASCII));
      assertThat(b.stream.in().readiness.absorb()).isFalse();
      b.toRing("y");
      assertThat(b.readFully(1)).isEqualTo("y");
    }
  }
}
