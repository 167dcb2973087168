package org.slipstream.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreesTest {

  @Test
  void aDirectoryGoesAlthoughAProcessRemovesItsFilesMeanwhile(@TempDir Path directory)
      throws Exception {
    Path root = directory.resolve("root");
    for (int round = 0; round < 50; round++) {
      Path files = Files.createDirectories(root.resolve("files"));
      for (int i = 0; i < 200; i++) {
        Files.createFile(files.resolve("file" + i));
      }
      Thread process = Thread.ofPlatform().start(() -> remove(files));
      Trees.delete(root);
      process.join();
      assertThat(root).doesNotExist();
    }
  }

  private static void remove(Path files) {
    for (int i = 199; i >= 0; i--) {
      try {
        Files.deleteIfExists(files.resolve("file" + i));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }
}
