package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.transport.ControlLayout;

/**
 * No control byte goes to a TCP connection unless the process at its other end is proven and can
 * still read it: an orphaned connection answers with a reset, and drops what was under way to us.
 */
@Timeout(240)
class ControlByteRuleTest {

  private static FakeSession session(Bench b) {
    return (FakeSession) b.link.session();
  }

  /** A client in the ring, whose peer has gone back to TCP and sent raw bytes. */
  private static Bench clientWithRawBytesUnderWay() throws IOException {
    Bench b = Bench.client().nonBlocking().attached();
    assertThat(b.write("request", false)).isEqualTo(7);
    assertThat(b.fromWire(16)).isEqualTo(new String(b.nonce, StandardCharsets.US_ASCII));
    assertThat(b.fromRing()).isEqualTo("request");
    b.peerSwitchesAt(0);
    b.toRing("ring,");
    b.wire(b.back(5));
    b.wireAndWait("raw".getBytes(StandardCharsets.US_ASCII));
    return b;
  }

  private static void theProcessOfThePeerEnds(Bench b) throws IOException {
    session(b).close();
    b.link.markLost();
    b.stream.linkChanged();
    b.wire.close();
  }

  @Test
  void aSilentDirectionWritesNothingToAPeerThatMayBeGone() throws Exception {
    try (Bench b = clientWithRawBytesUnderWay()) {
      theProcessOfThePeerEnds(b);
      assertThat(b.stream.nudge()).isTrue();
      assertThat(b.stream.status().outOnRing()).as("it waits for a sign of life").isTrue();
      assertThat(b.readFully(8)).isEqualTo("ring,raw");
      assertThat(b.read(1, false)).isEqualTo("end");
    }
  }

  @Test
  void aSilentDirectionFallsBackWhenThereIsASessionWithThatProcessAgain() throws Exception {
    try (Bench b = clientWithRawBytesUnderWay()) {
      session(b).close();
      b.link.markLost();
      b.link.reachedOver(new FakeSession("again"));
      assertThat(b.stream.nudge()).isTrue();
      assertThat(b.fromWire(9).getBytes(StandardCharsets.US_ASCII)).isEqualTo(b.back(7));
      assertThat(b.looks.get()).as("the peer is asked to take it at once").isEqualTo(1);
    }
  }

  @Test
  void aWriterIsNotKeptFromWriting() throws Exception {
    try (Bench b = clientWithRawBytesUnderWay()) {
      session(b).close();
      b.link.markLost();
      assertThat(b.write("x", false)).isEqualTo(1);
      assertThat(b.fromWire(10)).isEqualTo(new String(b.back(7), StandardCharsets.US_ASCII) + "x");
      assertThat(b.looks.get()).isZero();
    }
  }

  @Test
  void whatThePeerMayWaitForGoesOutAtOnceOverAMediumThatLosesBytes() throws Exception {
    try (Bench b = clientWithRawBytesUnderWay()) {
      ((HeapLink) b.link.link()).lossy();
      assertThat(b.write("more", false)).isEqualTo(4);
      session(b).close();
      b.link.markLost();
      assertThat(b.stream.nudge()).isTrue(); // no credit was given for the last request
      assertThat(b.fromWire(9 + 4)).endsWith("more");
    }
  }

  @Test
  void overAMediumThatLosesBytesThePeersRawBytesAreNotEndangeredForNothing() throws Exception {
    try (Bench b = clientWithRawBytesUnderWay()) {
      ((HeapLink) b.link.link()).lossy();
      b.peer.link().publish(ControlLayout.CREDIT, 7);
      theProcessOfThePeerEnds(b);
      assertThat(b.stream.nudge()).isTrue();
      assertThat(b.readFully(8)).isEqualTo("ring,raw");
    }
  }

  /** It was paused between its offer and the answer, for longer than the closer waited. */
  @Test
  void noSwitchMarkerGoesToAPeerThatHasClosed() throws Exception {
    try (Bench b = Bench.client().nonBlocking().attached()) {
      b.wireAndWait("answer".getBytes(StandardCharsets.US_ASCII));
      b.peer.producer().publishFlags(ControlLayout.FLAG_CLOSED);
      b.wire.close();
      assertThat(b.stream.nudge()).isTrue();
      assertThat(b.stream.status().outOnRing()).isFalse();
      assertThat(b.readFully(6)).isEqualTo("answer");
      assertThat(b.read(1, false)).isEqualTo("end");
    }
  }

  @Test
  void aConnectionWhosePeerIsNotProvenGetsNoByte() throws Exception {
    try (Bench b = Bench.server().nonBlocking().attached()) {
      assertThat(b.stream.nudge()).isTrue();
      assertThat(b.write("raw", false)).isEqualTo(3);
      assertThat(b.fromWire(3)).isEqualTo("raw");
      ControlByteWriter writer = new ControlByteWriter(new ConnectionError(b.stream.tcp()));
      assertThatThrownBy(() -> writer.begin(b.link, ByteBuffer.allocate(1)))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  /** Unread, it would turn the end of this process into a reset. */
  @Test
  void theSwitchMarkerBehindTheLastRawByteIsTakenWithIt() throws Exception {
    try (Bench b = Bench.server().attached()) {
      b.wire("raw");
      b.peer.producer().epochs().begin(3);
      b.wireAndWait(b.nonce);
      assertThat(b.read(10, true)).isEqualTo("raw");
      assertThat(b.stream.tcp().socket().getInputStream().available()).isZero();
      assertThat(b.stream.status().inOnRing()).isTrue();
    }
  }

  @Test
  void aSwitchMarkerThatComesLaterIsTakenWhenThePeerSaysSo() throws Exception {
    try (Bench b = Bench.server().attached()) {
      b.wire("raw");
      assertThat(b.read(10, true)).isEqualTo("raw");
      b.peer.producer().epochs().begin(3);
      b.wireAndWait(b.nonce);
      assertThat(b.stream.takeControlBytes()).isTrue();
      assertThat(b.stream.tcp().socket().getInputStream().available()).isZero();
      assertThat(b.stream.status().inOnRing()).isTrue();
    }
  }

  @Test
  void aThreadThatWasLateToShutTheOutputDownStoresNothingIntoAWindowThatWasGivenBack()
      throws Exception {
    try (Bench b = Bench.client().nonBlocking().attached()) {
      b.write("x", false);
      b.stream.close(false);
      assertThat(b.unused.get()).isEqualTo(1);
      b.peer.consumer().epochs().begin();
      long fin =
          b.peer
              .link()
              .receiveControl()
              .get(java.lang.foreign.ValueLayout.JAVA_LONG, ControlLayout.FIN_AT);
      b.peer
          .link()
          .receiveControl()
          .set(java.lang.foreign.ValueLayout.JAVA_LONG, ControlLayout.FIN_AT, 0);
      assertThat(fin).isNotZero();
      assertThatThrownBy(b.stream::shutdownOutput)
          .isInstanceOf(java.nio.channels.ClosedChannelException.class);
      assertThat(b.peer.consumer().peekFin()).isFalse();
      assertThatThrownBy(() -> b.link.producer().publishFin())
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> b.link.consumer().arm()).isInstanceOf(IllegalStateException.class);
    }
  }
}
