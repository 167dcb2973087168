package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.slipstream.it.WirePage;
import org.slipstream.transport.ControlLayout;

/** Positions that carry a checksum are those of the vectors in docs/WIRE-PROTOCOL.md. */
class RingWirePageTest {

  @Test
  void aSelfValidatingPositionIsThatOfTheVector() {
    ByteBuffer words =
        ControlLayout.words(MemorySegment.ofBuffer(ByteBuffer.allocate(ControlLayout.BYTES)));
    for (int i = ControlLayout.MAILBOX; i < ControlLayout.MAILBOX_END; i++) {
      words.put(i, (byte) (7 * i));
    }
    long start = 123_456_789_012L;
    ControlLayout.putLongPlain(words, ControlLayout.INLINE, ControlLayout.inline(start, 21));
    assertThat(HexFormat.of().toHexDigits(SelfValidatingWord.word(words, start + 21)))
        .isEqualTo(WirePage.vector("self-validating position"));
  }

  @Test
  void aChecksummedPositionIsThatOfTheVector() {
    ByteBuffer ring = ByteBuffer.allocate(64);
    ByteBuffer mailbox = ByteBuffer.allocate(ControlLayout.MAILBOX_BYTES);
    for (int i = 0; i < ring.capacity(); i++) {
      ring.put(i, (byte) i);
    }
    for (int i = 0; i < mailbox.capacity(); i++) {
      mailbox.put(i, (byte) (100 + i));
    }
    Checksum checksum = new Checksum(ring, mailbox);
    checksum.addRing(60, 4);
    checksum.addRing(0, 10);
    checksum.addMailbox(0, 5);
    assertThat(HexFormat.of().toHexDigits(checksum.word(5_000_000_000L)))
        .isEqualTo(WirePage.vector("checksummed position"));
  }
}
