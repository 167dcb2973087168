package org.slipstream.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.driver.Benchmark;
import org.slipstream.benchmarks.plot.Plots;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Draws what was measured, or prints it as a table. */
@Command(
    name = "plot",
    description =
        "Draws an SVG of the rows that pingpong, stream, connect, crowd, pages, start, servers and"
            + " rdma write with --json: medians with least and most. Files of one command share"
            + " their panels. Those of pages can be printed as a table, too.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
@SuppressWarnings("NullAway.Init") // picocli fills the fields in before anything runs
final class PlotCommand implements Callable<Integer> {
  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Rows, in JSON.")
  private List<Path> files;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "The drawing.")
  private @Nullable Path svg;

  @Option(
      names = "--table",
      description =
          "Print the rows of pages as a table of Markdown, as docs/PERFORMANCE.md has it.")
  private boolean table;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (svg == null && !table) {
      throw new ParameterException(
          spec.commandLine(), "Say where the drawing goes with --output, or print a --table.");
    }
    try {
      if (svg != null) {
        Plots.draw(files, svg);
      }
      if (table) {
        Plots.tables(files).forEach(spec.commandLine().getOut()::println);
        spec.commandLine().getOut().flush();
      }
      return Benchmark.OK;
    } catch (IllegalArgumentException bad) {
      throw new ParameterException(spec.commandLine(), bad.getMessage(), bad);
    } catch (IOException unreadable) {
      throw new ParameterException(
          spec.commandLine(), "A file can not be read or written: " + unreadable, unreadable);
    }
  }
}
