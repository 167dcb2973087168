package org.slipstream.testkit;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The files of a checkout without those that a build makes. Another module may be built at the same
 * time, and its files come and go: {@link Files#walk} would end with the first one that has gone.
 */
public final class SourceTree {
  private static final Set<String> MADE = Set.of("target", ".git", "dependency-reduced-pom.xml");

  private SourceTree() {}

  /**
   * Lists them.
   *
   * @param root of the checkout, or a directory in it
   * @throws IOException if one can not be read
   */
  public static List<Path> files(Path root) throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(root, new Visitor(files));
    return files;
  }

  private static final class Visitor extends SimpleFileVisitor<Path> {
    private final List<Path> files;

    Visitor(List<Path> files) {
      this.files = files;
    }

    private static boolean isMade(Path path) {
      return MADE.contains(String.valueOf(path.getFileName()));
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
      return isMade(directory) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (!isMade(file) && attributes.isRegularFile()) {
        files.add(file);
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
      if (e instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw e;
    }
  }
}
