package org.slipstream.agent.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slipstream.agent.trial.Trial;
import org.slipstream.agent.trial.TrialReport;
import org.slipstream.agent.trial.Turn;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code slipstream try}: runs a program off and on, and says what Slipstream did for it. */
@Command(
    name = "try",
    mixinStandardHelpOptions = true,
    description = {
      "Runs a program without and with Slipstream, and reports what carried its streams, why some"
          + " stayed on TCP, and what processor time both took.",
      "Two programs: try --server 'java -jar server.jar' -- java -jar client.jar. The server is"
          + " started first, and ended when the client has ended.",
      "What the programs print goes to standard error, the report to standard output; the programs"
          + " have nothing to read. Slipstream is switched on by JAVA_TOOL_OPTIONS, so scripts can"
          + " be tried, too."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      " 0:it ran both ways",
      " 1:it can not be started, or fails without Slipstream, and was not run with it",
      " 2:the command line is wrong",
      " 3:it fails with Slipstream only",
      " 4:Java is older than 25"
    })
final class TryCommand implements Callable<Integer> {
  private static final int FAILED_OFF = 1;
  private static final int FAILED_ON = 3;
  private static final double LONGEST_S = 86_400;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "End the program, or the client, after so many seconds, if it has not ended.")
  private @Nullable Double seconds;

  @Option(
      names = "--server",
      paramLabel = "COMMAND",
      description = "A server for the program, as one argument; a shell runs it.")
  private @Nullable String server;

  @Option(names = "--json", description = "Print one line of JSON for programs.")
  private boolean json;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      converter = DirectoryName.class,
      description = "The runtime directory of the programs (slipstream.dir).")
  private @Nullable String dir;

  @Parameters(
      paramLabel = "COMMAND",
      arity = "1..*",
      description = "The program and its arguments, behind --.")
  private List<String> program = new ArrayList<>();

  @Spec private @Nullable CommandSpec spec;

  TryCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (seconds != null && !(seconds > 0 && seconds <= LONGEST_S)) { // NaN is neither
      throw wrong("--seconds needs a number above 0, a day at most.");
    }
    if (server != null && server.isBlank()) {
      throw wrong("--server is empty; leave it out if there is none.");
    }
    Trial trial =
        new Trial(
            AgentJar.path(),
            dir,
            server == null ? null : List.of("sh", "-c", server),
            program,
            seconds);
    System.err.println("slipstream try: without Slipstream");
    Turn off = trial.run(false);
    Turn on = null;
    if (!off.failed()) {
      System.err.println("slipstream try: with Slipstream");
      on = trial.run(true);
    }
    if (json) {
      System.out.println(TrialReport.json(off, on));
    } else {
      TrialReport.page(off, on).forEach(System.out::println);
    }
    return on == null ? FAILED_OFF : on.failed() ? FAILED_ON : 0;
  }

  private ParameterException wrong(String sentence) {
    return new ParameterException(Objects.requireNonNull(spec).commandLine(), sentence);
  }
}
