package org.slipstream.benchmarks.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageFileTest {
  private static final int SIZE = (1 << 20) + 3 * PageFile.PAGE;

  @Test
  void anyPieceIsKnownByItsOffset(@TempDir Path directory) throws IOException {
    ByteBuffer all = file(directory);

    assertThat(all.remaining()).isEqualTo(SIZE);
    assertThat(PageFile.difference(all, 0)).isNegative();
    for (int from : new int[] {1, 7, 8, 4095, 4096, 1_048_575}) {
      for (int length : new int[] {0, 1, 6, 8, 9, 17, 1000}) {
        assertThat(PageFile.difference(all.slice(from, length), from)).isNegative();
        assertThat(PageFile.difference(all.duplicate().limit(from + length).position(from), from))
            .isNegative();
      }
    }
  }

  @Test
  void aByteThatIsWrongIsFound(@TempDir Path directory) throws IOException {
    ByteBuffer all = file(directory);
    for (int wrong : new int[] {0, 1, 7, 8, 4099, SIZE - 1}) {
      byte right = all.get(wrong);
      all.put(wrong, (byte) (right + 1));
      assertThat(PageFile.difference(all, 0)).isEqualTo(wrong);
      all.put(wrong, right);
    }
    int page = PageFile.PAGE;
    assertThat(PageFile.difference(all.slice(page, page), 0)).as("another page").isZero();
  }

  private static ByteBuffer file(Path directory) throws IOException {
    Path path = Files.createFile(directory.resolve("pages"));
    PageFile.write(path, SIZE);
    return ByteBuffer.wrap(Files.readAllBytes(path));
  }
}
