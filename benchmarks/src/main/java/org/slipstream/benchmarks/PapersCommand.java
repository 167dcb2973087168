package org.slipstream.benchmarks;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.slipstream.benchmarks.driver.Benchmark;
import org.slipstream.benchmarks.papers.Paper;
import org.slipstream.benchmarks.papers.PaperRun;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lists the papers' experiments, and runs them. */
@Command(
    name = "papers",
    description =
        "Lists the experiments of the papers behind this project: what each paper claims, what is"
            + " done here, and what it needs. With names, runs those, and writes their rows"
            + " as JSON and a drawing as SVG.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
@SuppressWarnings("NullAway.Init") // picocli fills the fields in before anything runs
final class PapersCommand implements Callable<Integer> {
  private static final String ALL = "all";

  @Parameters(paramLabel = "NAME", description = "Experiments to run, or all (default: list them).")
  private List<String> names = new ArrayList<>();

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      defaultValue = "papers",
      description = "Takes rows and drawings; is made if it is not there (${DEFAULT-VALUE}).")
  private Path directory;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    if (names.isEmpty()) {
      Paper.ALL.forEach(paper -> list(out, paper));
      out.flush();
      return Benchmark.OK;
    }
    List<Paper> chosen = chosen();
    String script = System.getProperty("slipstream.command");
    if (script == null) {
      throw new ParameterException(spec.commandLine(), "Start this command with ./slipstream.");
    }
    PaperRun run = new PaperRun(script, directory, out);
    int code = Benchmark.OK;
    try {
      for (Paper paper : chosen) {
        code = Math.max(code, run.run(paper));
      }
    } catch (IOException | IllegalArgumentException trouble) {
      spec.commandLine().getErr().println("papers: " + trouble.getMessage());
      spec.commandLine().getErr().flush();
      return Benchmark.FAILED;
    }
    return code;
  }

  private List<Paper> chosen() {
    List<Paper> chosen = new ArrayList<>();
    for (String name : names) {
      List<Paper> found =
          Paper.ALL.stream()
              .filter(paper -> name.equals(ALL) || paper.name().equals(name))
              .toList();
      if (found.isEmpty()) {
        throw new ParameterException(
            spec.commandLine(),
            "There is no experiment '" + name + "'; ./slipstream papers lists them.");
      }
      chosen.addAll(found);
    }
    return chosen.stream().distinct().toList();
  }

  private static void list(PrintWriter out, Paper paper) {
    out.printf("%-9s %s.%n", paper.name(), paper.experiment());
    out.printf("%-9s   The paper: %s.%n", "", paper.claim());
    out.printf("%-9s   Here: %s. It needs %s.%n", "", paper.state(), paper.needs());
    for (List<String> command : paper.commands()) {
      out.printf("%-9s     ./slipstream %s%n", "", String.join(" ", command));
    }
  }
}
