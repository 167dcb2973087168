package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ControlBytesTest {
  @Test
  void theControlBytesAreThoseOfTheRuler() {
    assertThat(ControlBytes.DOORBELL).isEqualTo((byte) 1);
    assertThat(ControlBytes.BACK).isEqualTo((byte) 3);
    assertThat(ControlBytes.BACK_BODY_BYTES).isEqualTo(8);
  }

  @Test
  void backCarriesItsPositionInLittleEndian() {
    ByteBuffer back = ControlBytes.back(0x0102030405060708L);
    byte[] bytes = new byte[back.remaining()];
    back.get(bytes);
    assertThat(HexFormat.of().formatHex(bytes)).isEqualTo("030807060504030201");
  }
}
