package org.slipstream.benchmarks;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.demo.Demo;
import org.slipstream.benchmarks.demo.DemoFailure;
import org.slipstream.benchmarks.demo.Screen;
import org.slipstream.benchmarks.driver.Benchmark;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows in half a minute what Slipstream does to an HTTP server and its client. */
@Command(
    name = "demo",
    description = {
      "Shows Jetty and an HTTP client whose stream leaves TCP, and comes back, in the middle of"
          + " traffic; then the server is killed, and the client goes on with another.",
      "Each answer is compared with what was sent. It ends by itself within a minute."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      " 0:it went as it should: nothing was lost",
      " 1:it did not, and the last line says what",
      " 2:the command line is wrong"
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields in before anything runs
final class DemoCommand implements Callable<Integer> {
  private static final double LONGEST_PART_S = 8;
  private static final int FAILED = 1;

  @Option(names = "--plain", description = "Print lines only; so it does without a terminal.")
  private boolean plain;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "4",
      description =
          "How long each of the five parts is shown: 0.5 to 8 (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Option(names = "--record", paramLabel = "FILE", description = "Draw what was shown as an SVG.")
  private @Nullable Path svg;

  @Option(
      names = "--deadline",
      paramLabel = "N",
      defaultValue = "58",
      hidden = true,
      description = "Give up after so many seconds.")
  private double deadline;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    if (!(seconds >= 0.5 && seconds <= LONGEST_PART_S)) { // NaN is neither
      throw wrong("--seconds must be between 0.5 and 8.");
    }
    if (svg != null && !isFileName(svg)) {
      throw wrong("--record needs a file in a directory that is there.");
    }
    String jar = System.getProperty("slipstream.jar");
    if (jar == null || !Files.isRegularFile(Path.of(jar))) {
      throw wrong("Start it with ./slipstream demo, which knows where slipstream.jar is.");
    }
    boolean terminal = Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    Screen screen = new Screen(System.out, plain || !terminal);
    try {
      Demo.play(Path.of(jar), screen, seconds, deadline);
      if (svg != null) {
        Demo.record(screen, svg);
      }
      return Benchmark.OK;
    } catch (DemoFailure | IOException e) {
      System.err.println("slipstream demo: " + e.getMessage());
      return FAILED;
    }
  }

  private static boolean isFileName(Path file) {
    Path parent = file.toAbsolutePath().getParent();
    return parent != null && Files.isDirectory(parent) && !Files.isDirectory(file);
  }

  private ParameterException wrong(String sentence) {
    return new ParameterException(spec.commandLine(), sentence);
  }
}
