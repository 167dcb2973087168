package org.slipstream.it.process;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** What a child runs, copied to where every user of the machine can read it. */
final class PublicCopy implements AutoCloseable {
  private final Path folder;

  PublicCopy() throws IOException, URISyntaxException {
    folder = Files.createTempDirectory("slipstream-it-public-");
    Path from = Path.of(Children.classes());
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        copy(path, folder.resolve("classes").resolve(from.relativize(path).toString()));
      }
    }
    copy(Children.JAR, jar());
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.copy(from, to);
    boolean folder = Files.isDirectory(to);
    Files.setPosixFilePermissions(
        to, PosixFilePermissions.fromString(folder ? "rwxr-xr-x" : "rw-r--r--"));
  }

  /** The class path of a child. */
  String classes() {
    return folder.resolve("classes").toString();
  }

  private Path jar() {
    return folder.resolve("slipstream.jar");
  }

  /** Writes a file that every user can read. */
  Path write(String name, List<String> lines) throws IOException {
    Path file = Files.write(folder.resolve(name), lines);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
  }

  /** The same command line, but with what lies here. */
  List<String> command(List<String> command) throws URISyntaxException {
    String classes = Children.classes();
    return command.stream()
        .map(s -> s.replace(Children.JAR.toString(), jar().toString()).replace(classes, classes()))
        .toList();
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
