package org.slipstream.testkit;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A directory of a test in shared memory that does not outlive the test: it goes when it is closed,
 * when its JVM ends by a signal, and, if the JVM was killed, before another JVM makes the next one.
 * For the last of these its name begins with the number of its process:
 *
 * <pre>
 *   /dev/shm/slipstream-test-PID-RANDOM
 * </pre>
 */
public final class TestDirectory implements Closeable {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final String PREFIX = "slipstream-test-";
  private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d+)-[0-9a-f]{8}");

  private final Path path;
  private final Thread hook;

  private TestDirectory(Path path) {
    this.path = path;
    this.hook = Thread.ofPlatform().unstarted(this::deleteAtTheEnd);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Makes one that only this user can enter. Its path is short, as those of sockets below it may
   * have 107 bytes at most.
   *
   * @return to be closed
   * @throws IOException from the file system
   */
  public static TestDirectory create() throws IOException {
    sweep();
    String random = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
    return new TestDirectory(
        Files.createDirectory(
            SHARED_MEMORY.resolve(PREFIX + ProcessHandle.current().pid() + "-" + random),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))));
  }

  /** {@return where it is} */
  public Path path() {
    return path;
  }

  /** Those of processes that are no more. */
  private static void sweep() throws IOException {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(SHARED_MEMORY, PREFIX + "*")) {
      for (Path each : all) {
        if (owner(each).map(ProcessHandle::of).filter(Optional::isEmpty).isPresent()) {
          delete(each);
        }
      }
    }
  }

  private static Optional<Long> owner(Path directory) {
    Matcher name = NAME.matcher(String.valueOf(directory.getFileName()));
    return name.matches() ? Optional.of(Long.valueOf(name.group(1))) : Optional.empty();
  }

  /** A process that ends, or a fabric of this one, may remove files at the same time. */
  private static void delete(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (Files.exists(file)) {
              throw e;
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException e)
              throws IOException {
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private void deleteAtTheEnd() {
    try {
      delete(path);
    } catch (IOException e) {
      System.err.println("Left behind: " + e);
    }
  }

  /** Deletes it with all that is in it; a process that still makes files there is waited for. */
  @Override
  public void close() throws IOException {
    Patience.await()
        .ignoreExceptions()
        .until(() -> {
          delete(path);
          return !Files.exists(path);
        });
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The hook runs already.
    }
  }
}
