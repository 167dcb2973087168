package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.slipstream.testkit.Patience;

/** A runtime directory on a file system of its own, which is small and can be full. */
final class SmallTmpfs implements AutoCloseable {
  private static final int PIECE = 64 * 1024;

  private final Path directory;

  private SmallTmpfs(Path directory) {
    this.directory = directory;
  }

  static SmallTmpfs at(Path directory, String size) throws Exception {
    Files.createDirectory(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    return over(directory, "mode=700,size=" + size);
  }

  /** Covers a directory that is there. */
  static SmallTmpfs over(Path directory, String options) throws Exception {
    require(
        run("mount", "-t", "tmpfs", "-o", options, "tmpfs", directory.toString()) == 0,
        "a tmpfs can not be mounted here");
    return new SmallTmpfs(directory);
  }

  /** Takes all the room that is left. */
  void fill() {
    try (OutputStream ballast = Files.newOutputStream(ballast())) {
      for (; ; ) {
        ballast.write(new byte[PIECE]);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("space");
    }
  }

  /** Gives it back. */
  void empty() throws IOException {
    Files.deleteIfExists(ballast());
  }

  private Path ballast() {
    return directory.resolve("ballast");
  }

  @Override
  public void close() throws Exception {
    // Lazily: the children may still have it mapped; they are ended after this.
    assertThat(run("umount", "-l", directory.toString())).isZero();
  }

  private static int run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
    return process.exitValue();
  }
}
