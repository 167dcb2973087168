package org.slipstream.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.driver.RowsFile;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code --json}: the file for the rows. */
final class JsonOption {
  /** Options whose values are paths of this machine, which say nothing to a reader elsewhere. */
  private static final List<String> PATHS = List.of("--json", "--directory", "--text", "--graph");

  @Option(names = "--json", paramLabel = "FILE", description = "Write the rows to this file, too.")
  private @Nullable Path json;

  /** Returns where the rows go, if anywhere; says now, and not after the run, if they can not. */
  @Nullable RowsFile file(CommandSpec spec) {
    Path file = json;
    if (file == null) {
      return null;
    }
    String problem = problem(file);
    if (problem != null) {
      throw new ParameterException(spec.commandLine(), "--json: " + problem);
    }
    List<String> words = spec.commandLine().getParseResult().originalArgs();
    return new RowsFile(file, String.join(" ", withoutPaths(words)));
  }

  private static @Nullable String problem(Path file) {
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null || !Files.isDirectory(directory)) {
      return "there is no directory " + directory + ".";
    }
    return Files.isDirectory(file) || !Files.isWritable(Files.exists(file) ? file : directory)
        ? "the file " + file + " cannot be written."
        : null;
  }

  static List<String> withoutPaths(List<String> arguments) {
    List<String> kept = new ArrayList<>();
    boolean value = false;
    for (String argument : arguments) {
      if (!value && PATHS.stream().noneMatch(path -> argument.startsWith(path + "="))) {
        value = PATHS.contains(argument);
        if (!value) {
          kept.add(argument);
        }
      } else {
        value = false;
      }
    }
    return kept;
  }
}
