package org.slipstream.agent.cli;

import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slipstream.shm.ProcessInspector;
import org.slipstream.shm.ProcessInspector.Answers;
import org.slipstream.shm.ProcessInspector.Silent;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code slipstream ps}: every stream of every Slipstream process of this user on this host. */
@Command(
    name = "ps",
    aliases = "ss",
    mixinStandardHelpOptions = true,
    description = {
      "Shows every stream of every Slipstream process of this user on this host: what carries it,",
      "bytes by the ring and by TCP, calls that moved bytes (MSG), how full the rings are, waits",
      "that ended while looking (SPINS) or by a wake-up, and for plain streams the reason."
    })
final class PsCommand implements Callable<Integer> {
  private static final String CLEAR = "\u001b[H\u001b[2J";

  @Option(names = "--json", description = "Print JSON for programs; each look is one line.")
  private boolean json;

  @Option(
      names = "--watch",
      arity = "0..1",
      paramLabel = "SECONDS",
      fallbackValue = "1",
      description = "Look again and again, and show amounts per second; 1 second is the default.")
  private double watch;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "With --watch: end after so many looks.")
  private int count = Integer.MAX_VALUE;

  @Option(
      names = "--totals",
      description = "Show what all streams of each process have done, closed ones included.")
  private boolean totals;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      converter = DirectoryName.class,
      description = "The runtime directory, if the processes set slipstream.dir.")
  private @Nullable String dir;

  PsCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (watch < 0 || count < 1) {
      System.err.println("--watch and --count must be positive");
      return 2;
    }
    String objection = ProcessInspector.objection(dir);
    if (objection != null) {
      System.err.println("No process can be asked: " + objection);
      return 1;
    }
    PrintStream out = System.out;
    List<StreamRow> before = List.of();
    long then = System.nanoTime();
    for (int looks = 0; looks < (watch > 0 ? count : 1); looks++) {
      if (looks > 0) {
        Thread.sleep((long) (watch * 1000));
      }
      Answers all = ProcessInspector.askAll(dir, totals ? "totals" : "streams");
      List<String> answers = all.said();
      long now = System.nanoTime();
      if (json) {
        out.println(json(all));
      } else if (totals && !answers.isEmpty()) {
        answers.forEach(answer -> out.println(answer.replaceAll("[{}\"]", "").replace(",", "  ")));
      } else {
        List<StreamRow> rows = new ArrayList<>();
        answers.forEach(answer -> rows.addAll(StreamRow.parse(answer)));
        if (watch > 0
            && Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false)) {
          out.print(CLEAR);
        }
        print(out, all, rows, before, looks > 0 ? (now - then) / 1e9 : 0);
        before = rows;
      }
      if (!json) {
        all.silent().forEach(process -> out.println(complaint(process)));
      }
      then = now;
      out.flush();
    }
    return 0;
  }

  private static String json(Answers all) {
    String silent =
        all.silent().stream()
            .map(process -> Long.toString(process.pid()))
            .collect(Collectors.joining(","));
    return "{\"processes\":[" + String.join(",", all.said()) + "],\"silent\":[" + silent + "]}";
  }

  private static String complaint(Silent process) {
    return (process.pid() == 0
            ? "The process of " + process.directory()
            : "Process " + process.pid())
        + " did not answer within two seconds; it may be stopped.";
  }

  private void print(
      PrintStream out, Answers all, List<StreamRow> rows, List<StreamRow> before, double seconds) {
    if (all.said().isEmpty() && all.silent().isEmpty()) {
      out.println(
          dir == null
              ? "No process of this user runs Slipstream, or it sets slipstream.dir: see --dir."
              : Files.exists(Path.of(dir))
                  ? "No process of this user runs Slipstream with slipstream.dir=" + dir + "."
                  : dir + " does not exist, so no process runs with it as slipstream.dir.");
    } else if (rows.isEmpty()) {
      out.println("No open streams in " + all.said().size() + " Slipstream processes.");
    } else {
      StreamTable.lines(rows, before, seconds).forEach(out::println);
    }
  }
}
