package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A program asks until a whole message has come, of which parts lie on both sides of a switch. */
@Timeout(240)
class AvailableTest {
  private static final byte[] WRONG = "fedcba9876543210".getBytes(StandardCharsets.US_ASCII);

  /** More than is read at once where control bytes are expected. */
  private static final String TAIL = "the rest of a message that is longer than 32 bytes";

  private static Bench server(boolean blocking) throws IOException {
    Bench bench = Bench.server();
    return blocking ? bench.attached() : bench.nonBlocking().attached();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** The TCP connection is not asked each time. */
  private static void awaitAvailable(Bench b, int bytes) {
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> b.stream.available(), n -> n == bytes);
  }

  @ParameterizedTest(name = "blocking: {0}")
  @ValueSource(booleans = {true, false})
  void bytesBeforeAndBehindMarkAreCountedOnceItHasCome(boolean blocking) throws Exception {
    try (Bench b = server(blocking)) {
      b.wireAndWait(bytes("head"));
      b.peer.producer().epochs().begin(4);
      b.wireAndWait(Arrays.copyOf(b.nonce, 7));
      b.toRing("tail");
      assertThat(b.stream.available()).isEqualTo(4);
      b.wireAndWait(Arrays.copyOfRange(b.nonce, 7, 16));
      assertThat(b.stream.available()).isEqualTo(8);
      assertThat(b.stream.available()).as("asked again").isEqualTo(8);
      assertThat(b.readFully(8)).isEqualTo("headtail");
      assertThat(b.stream.available()).isZero();
      assertThat(b.stream.status().plainBytesIn()).isEqualTo(4);
      assertThat(b.stream.status().ringBytesIn()).isEqualTo(4);
    }
  }

  /** A part of a read may be all of the raw bytes, or fewer. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 4, 5, 8})
  void whatWasCountedIsReadInPiecesOfAnySize(int room) throws Exception {
    try (Bench b = server(true)) {
      b.wireAndWait(bytes("head"));
      b.peerSwitchesAt(4);
      b.toRing("tail");
      awaitAvailable(b, 8);
      StringBuilder all = new StringBuilder();
      while (all.length() < 8) {
        all.append(b.read(room, true));
        assertThat(b.stream.available()).isEqualTo(8 - all.length());
      }
      assertThat(all.toString()).isEqualTo("headtail");
    }
  }

  /** It may be an unrelated process's, whose ring is not this stream's. */
  @Test
  void bytesBehindAWrongMarkAreNotThoseOfTheRing() throws Exception {
    try (Bench b = server(false)) {
      b.wireAndWait(bytes("hello "));
      b.peer.producer().epochs().begin(6);
      b.toRing("from an unrelated process");
      b.wireAndWait(WRONG);
      assertThat(b.stream.available()).isEqualTo(6);
      assertThat(b.readFully(22)).isEqualTo("hello fedcba9876543210");
      assertThat(b.stream.available()).isZero();
      assertThat(b.stream.status().inOnRing()).isFalse();
    }
  }

  @ParameterizedTest(name = "blocking: {0}")
  @ValueSource(booleans = {true, false})
  void bytesThatTheRingDidNotTakeAreCounted(boolean blocking) throws Exception {
    try (Bench b = server(blocking)) {
      b.peerSwitchesAt(0);
      b.toRing("x");
      assertThat(b.readFully(1)).isEqualTo("x");
      b.toRing("head");
      awaitAvailable(b, 4);
      b.wireAndWait(b.back(5));
      b.wireAndWait(bytes(TAIL));
      awaitAvailable(b, 4 + TAIL.length());
      assertThat(b.readFully(4 + TAIL.length())).isEqualTo("head" + TAIL);
      assertThat(b.stream.available()).isZero();
    }
  }

  /** Those that were read together with control bytes are no longer in the kernel. */
  @Test
  void bytesBehindAnEmptyRingAreAllCounted() throws Exception {
    try (Bench b = server(true)) {
      b.peerSwitchesAt(0);
      b.toRing("x");
      assertThat(b.readFully(1)).isEqualTo("x");
      b.wireAndWait(b.back(1));
      b.wireAndWait(bytes(TAIL));
      awaitAvailable(b, TAIL.length());
      assertThat(b.readFully(TAIL.length())).isEqualTo(TAIL);
    }
  }
}
