package org.slipstream.servers;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** Directories that processes use until they end. */
final class Trees {
  private static final int MOST_TRIES = 50;
  private static final long PAUSE_MS = 20;

  private Trees() {}

  /**
   * Deletes a directory with all that is in it. A process that ends removes files at the same time,
   * and may still make some: then it is tried again, for a second.
   */
  static void delete(Path root) throws IOException {
    for (int tries = 1; Files.exists(root); tries++) {
      try {
        Files.walkFileTree(root, new Deletion());
      } catch (IOException e) {
        if (tries == MOST_TRIES) {
          throw e;
        }
        pause();
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, IOException e) throws IOException {
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
