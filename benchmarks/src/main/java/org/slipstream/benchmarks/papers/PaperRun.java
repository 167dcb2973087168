package org.slipstream.benchmarks.papers;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.json.JSONObject;
import org.slipstream.benchmarks.plot.Plots;

/** Runs the commands of experiments, draws what they measured, and compares it with the papers. */
public final class PaperRun {
  private final String script;
  private final Path directory;
  private final PrintWriter out;

  /**
   * Prepares runs.
   *
   * @param script the command that measures
   * @param directory takes rows and drawings
   */
  public PaperRun(String script, Path directory, PrintWriter out) {
    this.script = script;
    this.directory = directory;
    this.out = out;
  }

  /**
   * Runs one.
   *
   * @return the worst of the exit codes of its commands
   * @throws IOException if its files can not be written, or a command can not be started
   * @throws InterruptedException as it says; the command is ended
   */
  public int run(Paper paper) throws IOException, InterruptedException {
    int code = 0;
    List<Path> files = new ArrayList<>();
    Files.createDirectories(directory);
    for (List<String> command : paper.commands()) {
      Path rows = directory.resolve(name(paper, command) + ".json");
      Files.deleteIfExists(rows);
      code = Math.max(code, execute(command, rows));
      if (Files.exists(rows)) {
        files.add(rows);
      }
    }
    if (files.isEmpty()) {
      say("papers: " + paper.name() + " left no rows");
      return Math.max(code, 1);
    }
    Path svg = directory.resolve(paper.name() + ".svg");
    Plots.draw(files, svg);
    say("");
    say("The paper: " + paper.claim() + ".");
    String first = paper.commands().getFirst().getFirst();
    List<JSONObject> rows = new ArrayList<>();
    for (Path file : files) {
      if (Plots.command(file).equals(first)) {
        rows.addAll(Plots.rows(file));
      }
    }
    Beside.lines(paper.name(), rows).forEach(line -> say("Here: " + line + "."));
    say("Drawn: " + svg);
    return code;
  }

  /**
   * Of the file for the rows of a command: two runs of one command differ in their transport, or in
   * the server that they name last.
   */
  private static String name(Paper paper, List<String> command) {
    if (paper.commands().size() == 1) {
      return paper.name();
    }
    String option = "--transport=";
    String which =
        command.stream()
            .filter(word -> word.startsWith(option))
            .map(word -> word.substring(option.length()))
            .findFirst()
            .orElse(command.getLast());
    return paper.name() + "-" + command.getFirst() + "-" + which;
  }

  private int execute(List<String> command, Path rows) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>();
    words.add(script);
    words.add(command.getFirst());
    words.add("--json");
    words.add(rows.toAbsolutePath().toString());
    words.addAll(command.subList(1, command.size()));
    say("papers: ./slipstream " + String.join(" ", command));
    Process process = new ProcessBuilder(words).inheritIO().start();
    try {
      return process.waitFor();
    } finally {
      process.destroy();
    }
  }

  private void say(String line) {
    out.println(line);
    out.flush();
  }
}
