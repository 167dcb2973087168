package org.slipstream.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PageSizeTest {
  private static ByteBuffer vector(long... words) {
    ByteBuffer vector = ByteBuffer.allocate(words.length * Long.BYTES);
    for (long word : words) {
      vector.putLong(word);
    }
    return vector.flip();
  }

  @Test
  void theKernelSaysItBehindTheKeySix() {
    assertThat(PageSize.of(vector(33, 7, 6, 4096, 17, 100, 0, 0))).isEqualTo(4096);
    assertThat(PageSize.of(vector(6, 65_536, 0, 0))).isEqualTo(65_536);
  }

  @Test
  void whatIsNoVectorSaysNothing() {
    assertThat(PageSize.of(vector())).isEqualTo(PageSize.UNKNOWN);
    assertThat(PageSize.of(vector(6))).isEqualTo(PageSize.UNKNOWN);
    assertThat(PageSize.of(vector(17, 6, 33))).isEqualTo(PageSize.UNKNOWN);
    assertThat(PageSize.of(vector(0, 0, 6, 4096))).isEqualTo(PageSize.UNKNOWN);
    assertThat(PageSize.of(vector(6, 0))).isEqualTo(PageSize.UNKNOWN);
    assertThat(PageSize.of(vector(6, 4097))).isEqualTo(PageSize.UNKNOWN);
  }

  @Test
  void thisKernelSaysWhatGetconfSays() throws Exception {
    Process getconf = new ProcessBuilder("getconf", "PAGESIZE").start();
    String said =
        new String(getconf.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
    assertThat(PageSize.ofKernel()).isEqualTo(Long.parseLong(said));
  }
}
