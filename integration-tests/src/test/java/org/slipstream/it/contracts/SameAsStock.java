package org.slipstream.it.contracts;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.TestDirectory;

/** Runs a program on the stock JDK and with Slipstream, and compares what the two print. */
final class SameAsStock {
  static final Path AGENT =
      Path.of(Objects.requireNonNull(System.getProperty("slipstream.jar"), "slipstream.jar"))
          .toAbsolutePath()
          .normalize();

  /** By program and flags. */
  private static final Map<List<?>, CompletableFuture<List<String>>> STOCK =
      new ConcurrentHashMap<>();

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
    CompletableFuture<List<String>> stock = stock(program, flags);
    List<String> lines = run(ours, flags, program);
    List<String> expected = stock.get();
    assertThat(expected).as("the stock JDK's lines").hasSizeGreaterThan(1);
    assertThat(lines).containsExactlyElementsOf(expected);
  }

  /**
   * The stock JDK's lines: once for all rows, and beside the first of them, as both mostly wait.
   */
  private static CompletableFuture<List<String>> stock(Class<?> program, List<String> flags) {
    return STOCK.computeIfAbsent(
        List.of(program, flags),
        asked -> {
          CompletableFuture<List<String>> lines = new CompletableFuture<>();
          Thread.ofVirtual()
              .start(() -> {
                try {
                  lines.complete(run(List.of("-cp", classes()), flags, program));
                } catch (Throwable e) {
                  lines.completeExceptionally(e);
                }
              });
          return lines;
        });
  }

  /** As {@link #check}, with Slipstream off, which is said in one line. */
  static void checkOff(Class<?> program, List<String> ours, List<String> flags) throws Exception {
    CompletableFuture<List<String>> stock = stock(program, List.of());
    List<String> lines = new ArrayList<>(run(ours, flags, program));
    List<String> expected = stock.get();
    assertThat(lines.removeFirst())
        .startsWith("slipstream: SL001: Slipstream is off, sockets stay plain TCP");
    assertThat(lines).containsExactlyElementsOf(expected);
  }

  static String classes() {
    return Path.of(SameAsStock.class.getProtectionDomain().getCodeSource().getLocation().getPath())
        .toString();
  }

  private static List<String> run(List<String> ours, List<String> flags, Class<?> program)
      throws Exception {
    try (TestDirectory home = TestDirectory.create()) {
      List<String> command =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-Xmx192m",
                  "-Dslipstream.dir=" + home.path().resolve("run")));
      command.addAll(ours);
      command.addAll(flags);
      command.add(program.getName());
      return run(command, home.path().resolve("output"));
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
}
