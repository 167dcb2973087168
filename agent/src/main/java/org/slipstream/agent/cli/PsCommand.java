package org.slipstream.agent.cli;

import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.status.BuildInfo;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.core.status.StreamRow;
import org.slipstream.shm.ProcessInspector;
import org.slipstream.shm.ProcessInspector.Answers;
import org.slipstream.shm.ProcessInspector.Silent;
import org.slipstream.transport.MessageCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code slipstream ps}: every stream of every Slipstream process of this user on this host. */
@Command(
    name = "ps",
    aliases = "ss",
    mixinStandardHelpOptions = true,
    description = {
      "Shows every stream of every Slipstream process of this user on this host.",
      "What carries it, bytes by the ring and by TCP, calls that moved bytes (MSG), how full the"
          + " rings are, waits that ended while polling (SPINS) or by a wake-up, polling that was"
          + " given up for a sleep (MISSES), and for plain streams the reason."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      " 0:looked, whatever there is to be seen",
      " 1:the runtime directory can not be used",
      " 2:the command line is wrong",
      " 4:Java is older than 25"
    })
final class PsCommand implements Callable<Integer> {
  private static final double LONGEST_PAUSE_S = 86_400;
  private static final Pattern UNPRINTABLE = Pattern.compile("[^\\w.+-]");
  private static final String CLEAR = "\u001b[H\u001b[2J";

  @Option(names = "--json", description = "Print JSON for programs; each look is one line.")
  private boolean json;

  @Option(
      names = "--watch",
      arity = "0..1",
      paramLabel = "SECONDS",
      fallbackValue = "1",
      description = "Look again and again, and show amounts per second; 1 second is the default.")
  private @Nullable Double watch;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "With --watch: end after so many looks.")
  private @Nullable Integer count;

  @Option(
      names = "--totals",
      description = "Show what all streams of each process have done, closed ones included.")
  private boolean totals;

  @Option(
      names = "--sessions",
      description =
          "Show what each process shares with others: device, GID, memory, queue, and what ended.")
  private boolean sessions;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      converter = DirectoryName.class,
      description = "The runtime directory, if the processes set slipstream.dir.")
  private @Nullable String dir;

  @Spec private @Nullable CommandSpec spec;

  PsCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    double pause = watch == null ? 0 : watch;
    if (watch != null && !(pause > 0 && pause <= LONGEST_PAUSE_S)) { // NaN is neither
      throw wrong("--watch needs a number of seconds above 0, a day at most.");
    }
    if (count != null && count < 1) {
      throw wrong("--count needs a number from 1 on.");
    }
    if (count != null && watch == null) {
      throw wrong("--count says when --watch ends: give both.");
    }
    if (sessions && totals) {
      throw wrong("Give --sessions or --totals.");
    }
    int looks = watch == null ? 1 : count == null ? Integer.MAX_VALUE : count;
    dir = DirectoryName.orOfHost(dir);
    String objection = ProcessInspector.objection(dir);
    if (objection != null) {
      System.err.println(
          MessageCode.NO_PROCESS_ASKED.line("No process can be asked: " + objection));
      return 1;
    }
    PrintStream out = System.out;
    List<StreamRow> before = List.of();
    long then = System.nanoTime();
    for (int look = 0; look < looks; look++) {
      if (look > 0) {
        Thread.sleep((long) (pause * 1000));
      }
      Answers all = ProcessInspector.askAll(dir, question());
      List<ProcessStatus> said =
          all.said().stream().flatMap(answer -> ProcessStatus.parse(answer).stream()).toList();
      long now = System.nanoTime();
      if (json) {
        out.println(json(said, all.silent()));
      } else if (sessions && !said.isEmpty()) {
        List<StreamRow> rows = SessionTable.rows(said);
        if (rows.isEmpty()) {
          out.println("No sessions in " + said.size() + " Slipstream processes.");
        } else {
          SessionTable.lines(rows).forEach(out::println);
        }
      } else if (totals && !said.isEmpty()) {
        said.forEach(process -> out.println(words(process)));
      } else {
        List<StreamRow> rows =
            said.stream().flatMap(process -> process.streams().stream()).toList();
        if (watch != null
            && Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false)) {
          out.print(CLEAR);
        }
        print(out, all, rows, before, look > 0 ? (now - then) / 1e9 : 0);
        before = rows;
      }
      if (!json) {
        said.stream().flatMap(process -> PassedBy.sentence(process).stream()).forEach(out::println);
        said.stream().flatMap(process -> otherBuild(process).stream()).forEach(out::println);
        all.silent().forEach(process -> out.println(complaint(process)));
      }
      then = now;
      out.flush();
    }
    return 0;
  }

  private String question() {
    return sessions ? "sessions" : totals ? "totals" : "streams";
  }

  private ParameterException wrong(String sentence) {
    return new ParameterException(Objects.requireNonNull(spec).commandLine(), sentence);
  }

  private static String json(List<ProcessStatus> said, List<Silent> silent) {
    return ProcessStatus.json(said)
        + silent.stream()
            .map(process -> Long.toString(process.pid()))
            .collect(Collectors.joining(",", ",\"silent\":[", "]}"));
  }

  private static String words(ProcessStatus process) {
    return process.members().entrySet().stream()
        .map(member -> member.getKey() + ":" + member.getValue())
        .collect(Collectors.joining("  "));
  }

  /** A sentence about a process that runs another build than this command; else nothing. */
  static Optional<String> otherBuild(ProcessStatus process) {
    BuildInfo ours = BuildInfo.current();
    BuildInfo its =
        new BuildInfo(text(process, ProcessStatus.VERSION), text(process, ProcessStatus.COMMIT));
    return its.equals(ours)
        ? Optional.empty()
        : Optional.of(
            "Process "
                + process.number("pid")
                + " runs Slipstream "
                + its
                + ", and this command is "
                + ours
                + ".");
  }

  private static String text(ProcessStatus process, String member) {
    // Any process may say anything, and what it says goes to a terminal.
    return UNPRINTABLE
        .matcher(process.members().getOrDefault(member, BuildInfo.UNKNOWN).toString())
        .replaceAll("?");
  }

  static String complaint(Silent process) {
    return (process.pid() == 0
            ? "The process of " + process.directory()
            : "Process " + process.pid())
        + " did not answer within two seconds; it may be stopped.";
  }

  /** Nothing was found in the directory, which is the default one if none is named. */
  static String noProcess(@Nullable String dir) {
    if (dir == null) {
      return "No process of this user runs Slipstream, or it sets slipstream.dir: see --dir.";
    }
    return Files.exists(Path.of(dir))
        ? "No process of this user runs Slipstream with slipstream.dir=" + dir + "."
        : dir + " does not exist, so no process runs with it as slipstream.dir.";
  }

  private void print(
      PrintStream out, Answers all, List<StreamRow> rows, List<StreamRow> before, double seconds) {
    if (all.said().isEmpty() && all.silent().isEmpty()) {
      out.println(noProcess(dir));
    } else if (rows.isEmpty()) {
      out.println("No open streams in " + all.said().size() + " Slipstream processes.");
    } else {
      StreamTable.lines(rows, before, seconds).forEach(out::println);
    }
  }
}
