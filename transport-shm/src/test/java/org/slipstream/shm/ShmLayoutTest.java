package org.slipstream.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Session;
import org.slipstream.transport.slab.SlabLayout;

/** The bytes of the session's socket, as the rulers draw them. */
class ShmLayoutTest {

  private static String hex(ByteBuffer b) {
    byte[] bytes = new byte[b.remaining()];
    b.duplicate().get(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void theFirstCommittedSizeOfTheSmallestRingHoldsMoreThanTheMailbox() {
    assertThat(new SlabLayout(1, 16 * 1024).isValid()).isTrue();
    assertThat(ShmWindow.FIRST_COMMITTED)
        .isLessThan(16 * 1024)
        .isGreaterThan(ControlLayout.MAILBOX_BYTES);
  }

  @Test
  void messagesAreLengthKindAndBodyInBigEndian() {
    assertThat(Wire.HEADER_BYTES).isEqualTo(5);
    assertThat(Wire.MAX_BODY).isEqualTo(Session.MAX_FRAME_BYTES);
    assertThat(new byte[] {Wire.HELLO, Wire.SLAB, Wire.MAPPED, Wire.FRAME, Wire.ASK, Wire.ANSWER})
        .containsExactly(0, 1, 2, 3, 4, 5);
    assertThat(hex(Wire.hello(new Wire.Hello(new ProcessId(1, 2), 3))))
        .isEqualTo(
            "0000001e"
                + "00"
                + "534c4950"
                + "0004"
                + "0000000000000001"
                + "0000000000000002"
                + "0000000000000003");
    assertThat(hex(Wire.slab(3, new SlabLayout(64, 65536))))
        .isEqualTo("0000000c" + "01" + "00000003" + "00000040" + "00010000");
    assertThat(hex(Wire.mapped(3, true))).isEqualTo("00000005" + "02" + "00000003" + "01");
    assertThat(hex(Wire.mapped(3, false))).isEqualTo("00000005" + "02" + "00000003" + "00");
    assertThat(hex(Wire.message(Wire.FRAME, ByteBuffer.wrap(new byte[] {9}))))
        .isEqualTo("00000001" + "03" + "09");
  }

  @Test
  void helloComesBackAsItWasWritten() throws IOException {
    Wire.Hello hello = new Wire.Hello(ProcessId.random(), 4_026_531_840L);
    assertThat(Wire.readHello(Wire.hello(hello).position(Wire.HEADER_BYTES))).isEqualTo(hello);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "'', does not speak Slipstream",
    "00, does not speak Slipstream",
    "474554202f20485454502f312e310d0a0d0a0d0a0d0a, does not speak Slipstream",
    "534c4950000100000000000000000000000000000000, speaks version 1",
    "534c49500004, wrong length",
    "534c495000, does not speak Slipstream"
  })
  void aWrongHelloIsAnIoException(String hex, String sentence) {
    assertThatThrownBy(() -> Wire.readHello(ByteBuffer.wrap(HexFormat.of().parseHex(hex))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(sentence);
  }
}
