package org.slipstream.it.guest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The class path of the JVMs in virtual machines, with an archive of its classes (class data
 * sharing): in one boot beside other load a JVM took 47 seconds to its first test without it, and
 * 18 with it. This machine makes the archive once for all JVMs of a build, in some seconds, by
 * running a few tests.
 *
 * <p>Archives know no folders of classes, so these become jars.
 *
 * @param classPath jars
 * @param flags that make a JVM use the archive; none if this JDK can not make one
 */
record GuestArchive(List<Path> classPath, List<String> flags) {
  private static final Path HOME = Path.of("target", "guest").toAbsolutePath();

  /** So that its loading is not measured; what it says about modules is no mistake. */
  private static final List<String> SILENT = List.of("-Xlog:cds=off", "-Xlog:aot=off");

  /** What is run for the archive: JUnit, the assertions and the streams that all rows use. */
  private static final String ROW = "org.slipstream.it.conformance.ShmNioConformanceTest";

  private static final String GROUPS = "Buffers,Selections,Readiness";

  /** For a class path of this JVM; makes the archive if no other JVM of the build has made it. */
  static GuestArchive of(List<Path> classPath, List<String> jvm) throws Exception {
    Files.createDirectories(HOME);
    String name = Integer.toHexString(Objects.hash(state(classPath), jvm));
    try (FileChannel file =
            FileChannel.open(
                HOME.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var _ = file.lock()) {
      Path home = HOME.resolve(name);
      List<Path> jars = new ArrayList<>();
      for (Path entry : classPath) {
        jars.add(Files.isDirectory(entry) ? home.resolve(jars.size() + ".jar") : entry);
      }
      Path archive = home.resolve("classes.jsa");
      if (!Files.isDirectory(home)) {
        deleteOlder();
        Path unfinished = Files.createDirectories(HOME.resolve("unfinished"));
        for (int i = 0; i < jars.size(); i++) {
          if (!jars.get(i).equals(classPath.get(i))) {
            jar(classPath.get(i), unfinished.resolve(i + ".jar"));
          }
        }
        Files.move(unfinished, home);
        make(archive, jars, jvm);
      }
      List<String> flags = new ArrayList<>();
      if (Files.exists(archive)) {
        flags.add("-XX:SharedArchiveFile=" + archive);
        flags.addAll(SILENT);
      }
      return new GuestArchive(jars, flags);
    }
  }

  /** Whatever changes when a class does. */
  private static List<String> state(List<Path> classPath) throws IOException {
    List<String> state = new ArrayList<>();
    for (Path entry : classPath) {
      try (Stream<Path> files = Files.walk(entry)) {
        for (Path file : files.sorted().toList()) {
          state.add(file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file));
        }
      }
    }
    return state;
  }

  /** Of earlier builds, and what was not finished. */
  private static void deleteOlder() throws IOException {
    try (Stream<Path> files = Files.walk(HOME)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        if (!file.equals(HOME) && !file.endsWith("lock")) {
          Files.delete(file);
        }
      }
    }
  }

  /** A folder of classes as a jar. */
  static void jar(Path folder, Path jar) {
    int code =
        ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                List.of("--create", "--no-compress", "--file", "" + jar, "-C", "" + folder, ".")
                    .toArray(String[]::new));
    if (code != 0) {
      throw new IllegalStateException("jar of " + folder + ": " + code);
    }
  }

  private static void make(Path archive, List<Path> jars, List<String> jvm) throws Exception {
    List<String> command = new ArrayList<>(List.of(Guest.JAVA.resolve("bin/java").toString()));
    command.addAll(jvm);
    command.add("-XX:ArchiveClassesAtExit=" + archive);
    command.addAll(SILENT);
    command.add("-Dslipstream.test.include=" + GROUPS);
    command.addAll(List.of("-cp", join(jars), GuestArchiveMain.class.getName()));
    command.addAll(List.of(archive.resolveSibling("results").toString(), ROW));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(archive.resolveSibling("output").toFile())
            .start();
    if (process.waitFor() != 0 || !Files.exists(archive)) {
      Files.deleteIfExists(archive);
      System.out.println(
          "Guests start slowly, because this JDK has made no archive: "
              + Files.readString(archive.resolveSibling("output"), UTF_8));
    }
  }

  /** As the option {@code -cp} wants it. */
  static String join(List<Path> classPath) {
    return classPath.stream().map(Path::toString).collect(Collectors.joining(":"));
  }

  /** The class path of this JVM. */
  static List<Path> ofThisJvm() {
    return Arrays.stream(System.getProperty("java.class.path").split(":", -1))
        .filter(s -> !s.isEmpty())
        .map(Path::of)
        .filter(Files::exists)
        .toList();
  }
}
