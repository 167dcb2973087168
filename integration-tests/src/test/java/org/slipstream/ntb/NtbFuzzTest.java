package org.slipstream.ntb;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.slipstream.it.fuzz.Corpus;

/** Another node's data interrupts may be anything, and none proves a key by chance. */
class NtbFuzzTest {
  private static final Corpus CORPUS = Corpus.hex("ntb");
  private static final Seal SEAL = Seal.of("0123456789abcdef".getBytes(US_ASCII));

  @Provide
  Arbitrary<byte[]> inputs() {
    return CORPUS.inputs();
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void aMessageIsReadOrRefusedAndProvesNothing(@ForAll("inputs") byte[] input) {
    try {
      Message message = Message.read(input);
      assertThat(message.isProven(SEAL, 0)).isFalse();
      assertThat(message.isProven(SEAL, message.challenge())).isFalse();
    } catch (IOException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }
}
