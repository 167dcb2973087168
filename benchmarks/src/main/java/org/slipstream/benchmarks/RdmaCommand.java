package org.slipstream.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.json.JSONObject;
import org.slipstream.benchmarks.driver.Benchmark;
import org.slipstream.benchmarks.driver.RowsFile;
import org.slipstream.benchmarks.papers.GuestOutput;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Makes rows of what the benchmarks in the virtual machine with software RDMA printed. */
@Command(
    name = "rdma",
    description =
        "Measures the PVFS paper's three figures in a virtual machine with software RDMA, which takes"
            + " some ten minutes; or reads what such runs printed. ./slipstream plot draws the rows.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
@SuppressWarnings("NullAway.Init") // picocli fills the fields in before anything runs
final class RdmaCommand implements Callable<Integer> {
  @Option(
      names = "--text",
      paramLabel = "FILE",
      required = true,
      description = "What a run printed; may be repeated. Without it, a run is made.")
  private List<Path> texts;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    RowsFile file = json.file(spec);
    List<String> lines = new ArrayList<>();
    List<JSONObject> rows;
    try {
      for (Path text : texts) {
        lines.addAll(Files.readAllLines(text));
      }
      rows = GuestOutput.rows(lines);
      if (rows.isEmpty()) {
        throw new ParameterException(
            spec.commandLine(), "There is no table of such a run in " + texts + ".");
      }
      if (file != null) {
        file.write(rows.stream().map(JSONObject::toString), GuestOutput.day(lines));
      }
    } catch (IOException unreadable) {
      throw new ParameterException(
          spec.commandLine(), "A file can not be read or written: " + unreadable, unreadable);
    }
    spec.commandLine().getOut().println(rows.size() + " figures");
    spec.commandLine().getOut().flush();
    return Benchmark.OK;
  }
}
