package org.slipstream.it.contracts;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.slipstream.testkit.Patience;

/** Runs a program on the stock JDK and with Slipstream, and compares what the two print. */
final class SameAsStock {
  static final Path AGENT =
      Path.of(Objects.requireNonNull(System.getProperty("slipstream.jar"), "slipstream.jar"))
          .toAbsolutePath()
          .normalize();

  private SameAsStock() {}

  /** One flag. */
  static List<String> agent() {
    return List.of("-javaagent:" + AGENT, "-cp", classes());
  }

  /** The property instead of the flag: channels, but no {@code java.net}. */
  static List<String> property() {
    return List.of(
        "-Djava.nio.channels.spi.SelectorProvider"
            + "=org.slipstream.provider.nio.SlipstreamSelectorProvider",
        "-Djava.nio.channels.spi.AsynchronousChannelProvider"
            + "=org.slipstream.provider.async.SlipstreamAsynchronousChannelProvider",
        "-cp",
        classes() + File.pathSeparator + AGENT);
  }

  /** Fails unless the program prints the same in both JVMs. */
  static void check(Class<?> program, List<String> ours, List<String> flags) throws Exception {
    List<String> expected = run(List.of("-cp", classes()), flags, program);
    assertThat(expected).as("the stock JDK's lines").hasSizeGreaterThan(1);
    assertThat(run(ours, flags, program)).containsExactlyElementsOf(expected);
  }

  /** As {@link #check}, with Slipstream off, which is said in one line. */
  static void checkOff(Class<?> program, List<String> ours, List<String> flags) throws Exception {
    List<String> expected = run(List.of("-cp", classes()), List.of(), program);
    List<String> lines = new ArrayList<>(run(ours, flags, program));
    assertThat(lines.removeFirst()).startsWith("Slipstream is off, sockets stay plain TCP");
    assertThat(lines).containsExactlyElementsOf(expected);
  }

  static String classes() {
    return Path.of(SameAsStock.class.getProtectionDomain().getCodeSource().getLocation().getPath())
        .toString();
  }

  private static List<String> run(List<String> ours, List<String> flags, Class<?> program)
      throws Exception {
    Path home =
        Files.createTempDirectory(
            Path.of("/dev/shm"),
            "slipstream-it-",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    try {
      List<String> command =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-Xmx192m",
                  "-Dslipstream.dir=" + home.resolve("run")));
      command.addAll(ours);
      command.addAll(flags);
      command.add(program.getName());
      return run(command, home.resolve("output"));
    } finally {
      delete(home);
    }
  }

  private static List<String> run(List<String> command, Path output) throws Exception {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      boolean ended = process.waitFor(Patience.LONG);
      List<String> lines = Files.readAllLines(output, UTF_8);
      assertThat(ended).as("%s ends; so far %s", command, lines).isTrue();
      assertThat(process.exitValue()).as("%s: %s", command, lines).isZero();
      return lines;
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private static void delete(Path home) throws IOException {
    try (Stream<Path> all = Files.walk(home)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
