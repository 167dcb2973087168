package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.slipstream.fuzz.FuzzTest;
import org.slipstream.fuzz.Fuzzer;
import org.slipstream.fuzz.Trace;

/** What a peer says before and beside the queue pair may be anything. */
class RdmaFuzzTest {

  @FuzzTest
  void aHandshakeIsReadOrRefused() {
    Fuzzer.hex("handshake")
        .refusing(IOException.class)
        .reaching("HELLO", "KNOWN", "REFUSED", "QUEUE", "RAIL", "a port")
        .run((input, trace) -> {
          HandshakeMessage handshake = HandshakeMessage.read(input);
          // What was understood is what was said; the rest is padding.
          assertThat(handshake.bytes()).isEqualTo(Arrays.copyOf(input, HandshakeMessage.BYTES));
          trace.reached(handshake.kind().name());
          List<InetSocketAddress> told = ToldPorts.read(input);
          assertThat(told).hasSizeLessThanOrEqualTo(RailWays.MOST);
          if (!told.isEmpty()) {
            trace.reached("a port");
          }
          if (handshake.kind() == HandshakeMessage.Kind.HELLO) {
            assertThat(handshake.maxPathMtu()).isBetween(0, 4096);
          }
        });
  }

  @FuzzTest
  void aWindowIsPossibleOrRefused() {
    Fuzzer.hex("window-descriptor")
        .refusing(IOException.class)
        .run((input, trace) -> {
          WindowDescriptor window = WindowDescriptor.read(ByteBuffer.wrap(input));
          assertThat(window.ringBytes()).isPositive();
          assertThat(Integer.bitCount(window.ringBytes())).isEqualTo(1);
        });
  }

  @FuzzTest
  void aMessageIsWholeOrNothing() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment slot = arena.allocate(MessageLayout.SLOT_BYTES);
      Fuzzer.hex("control-message")
          .reaching("frame", "credit only", "notice")
          .run((input, trace) -> take(slot, input, trace));
    }
  }

  private static void take(MemorySegment slot, byte[] input, Trace trace) {
    int n = Math.min(input.length, MessageLayout.SLOT_BYTES);
    MemorySegment.copy(MemorySegment.ofArray(input), 0, slot, 0, n);
    byte[] whole = MessageLayout.frame(slot, input.length);
    if (whole == null) {
      trace.refused("lengths");
    } else {
      trace.reached(
          MessageLayout.isNotice(slot) ? "notice" : whole.length == 0 ? "credit only" : "frame");
    }
    // A device may also lie about the length.
    for (int received : new int[] {n, input.length, -1, Integer.MAX_VALUE, 0}) {
      byte[] frame = MessageLayout.frame(slot, received);
      if (frame != null) {
        assertThat(frame).hasSize(received - MessageLayout.FRAME);
      }
      assertThat(MessageLayout.returned(slot)).isBetween(0, 65_535);
    }
  }
}
