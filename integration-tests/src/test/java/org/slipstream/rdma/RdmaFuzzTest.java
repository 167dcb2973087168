package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.slipstream.it.fuzz.Corpus;

/** What a peer says before and beside the queue pair may be anything. */
class RdmaFuzzTest {
  private static final Corpus CORPUS = Corpus.hex("rdma");

  @Provide
  Arbitrary<byte[]> inputs() {
    return CORPUS.inputs();
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void aGreetingIsReadOrRefused(@ForAll("inputs") byte[] input) {
    try {
      Greeting greeting = Greeting.read(input);
      byte[] again = Arrays.copyOf(greeting.bytes(), input.length);
      // What was understood is what was said; the rest is padding.
      assertThat(Arrays.copyOf(again, Greeting.BYTES))
          .isEqualTo(Arrays.copyOf(input, Greeting.BYTES));
    } catch (IOException e) {
      assertThat(e).hasMessageStartingWith("The peer ");
    }
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void aWindowIsPossibleOrRefused(@ForAll("inputs") byte[] input) {
    try {
      WindowDescriptor window = WindowDescriptor.read(ByteBuffer.wrap(input));
      assertThat(window.ringBytes()).isPositive();
      assertThat(Integer.bitCount(window.ringBytes())).isEqualTo(1);
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("window");
    }
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void aMessageIsWholeOrNothing(@ForAll("inputs") byte[] input) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment slot = arena.allocate(MessageLayout.SLOT_BYTES);
      int n = Math.min(input.length, MessageLayout.SLOT_BYTES);
      MemorySegment.copy(MemorySegment.ofArray(input), 0, slot, 0, n);
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
}
