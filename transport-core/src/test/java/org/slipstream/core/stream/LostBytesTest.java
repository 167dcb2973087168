package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.transport.HeapLink;

/**
 * A position has arrived and its bytes have not: the reader has to hear what the TCP connection
 * says of them, however long it likes to look at the ring.
 */
@Timeout(240)
class LostBytesTest {

  private static HeapLink link(Bench b) {
    return (HeapLink) b.link.link();
  }

  /** The peer has sent this and it was lost. */
  private static Bench hole(Bench b, String text) throws IOException {
    b.attached();
    b.peerSwitchesAt(0);
    b.toRing("x");
    assertThat(b.readFully(1)).isEqualTo("x");
    b.toRing(text);
    b.peer.link().loseBytes();
    return b;
  }

  private static byte[] fail(long position, String again) {
    byte[] bytes = again.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(9 + bytes.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(ControlBytes.FAIL)
        .putLong(position)
        .put(bytes)
        .array();
  }

  private static CompletableFuture<String> blockedReader(Bench b) {
    CompletableFuture<String> reader = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            reader.complete(b.read(100, true));
          } catch (IOException | RuntimeException e) {
            reader.completeExceptionally(e);
          }
        });
    return reader;
  }

  @ParameterizedTest(name = "looks for {0} ns")
  @ValueSource(ints = {0, 20_000, 1_000_000_000})
  void aBlockedReaderHearsThatTheyComeOverTcp(int spinNanos) throws Exception {
    try (Bench b = hole(Bench.provingServer(spinNanos), "hello")) {
      CompletableFuture<String> reader = blockedReader(b);
      await().atMost(Duration.ofSeconds(60)).until(link(b)::isPending);
      b.wire(fail(1, "hello"));
      assertThat(reader.get()).isEqualTo("hello");
    }
  }

  @ParameterizedTest(name = "looks for {0} ns")
  @ValueSource(ints = {0, 20_000, 1_000_000_000})
  void aFinalPositionBehindThemIsNoReasonToLookForEver(int spinNanos) throws Exception {
    try (Bench b = hole(Bench.provingServer(spinNanos), "hello")) {
      b.peer.producer().publishFin();
      CompletableFuture<String> reader = blockedReader(b);
      await().atMost(Duration.ofSeconds(60)).until(link(b)::isPending);
      b.wire(fail(1, "hello"));
      assertThat(reader.get()).isEqualTo("hello");
    }
  }

  @ParameterizedTest(name = "looks for {0} ns")
  @ValueSource(ints = {0, 20_000, 1_000_000_000})
  void aBlockedReaderTakesThemWhenTheyComeLate(int spinNanos) throws Exception {
    try (Bench b = hole(Bench.provingServer(spinNanos), "hello")) {
      CompletableFuture<String> reader = blockedReader(b);
      await().atMost(Duration.ofSeconds(60)).until(link(b)::isPending);
      b.peer.link().restoreBytes();
      b.wire(ControlBytes.DOORBELL); // of the writer, which looks for a sleeper behind its stores
      assertThat(reader.get()).isEqualTo("hello");
      assertThat(link(b).isPending()).isFalse();
    }
  }

  @Test
  void aSelectorIsNotToldOfBytesThatMismatchedAndHearsTcp() throws Exception {
    try (Bench b = hole(Bench.provingServer(0).nonBlocking(), "hello")) {
      assertThat(b.read(100, false)).isEmpty();
      assertThat(link(b).isPending()).isTrue();
      await()
          .atMost(Duration.ofSeconds(60))
          .until(b.stream.readiness()::armForRead); // not while the next look is due
      b.wireAndWait(fail(1, "hello"));
      b.stream.readiness().absorb();
      assertThat(b.readFully(5)).isEqualTo("hello");
    }
  }

  /** The look at an empty ring that ends an epoch is not one that may be saved. */
  @RepeatedTest(20)
  void aWriterThatLeavesTheRingBehindBytesThatCameLateIsFollowed() throws Exception {
    try (Bench b = hole(Bench.provingServer(0).nonBlocking(), "hello")) {
      long mismatchUntil =
          System.nanoTime() + 3_000_000; // then the next look is a millisecond away
      while (System.nanoTime() - mismatchUntil < 0) {
        assertThat(b.stream.available()).isZero();
      }
      b.peer.link().restoreBytes();
      b.wire(b.back(6));
      b.wire(" world");
      assertThat(b.readFully(11)).isEqualTo("hello world");
    }
  }

  @Test
  void closingResetsAsWithOtherUnreadBytes() throws Exception {
    try (Bench b = hole(Bench.provingServer(0).nonBlocking(), "hello")) {
      assertThat(b.read(100, false)).isEmpty();
      assertThat(b.stream.in().readiness.hasUnread()).isTrue();
    }
  }
}
