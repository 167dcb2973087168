package org.slipstream.benchmarks;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The measuring part of the {@code slipstream} command. */
@Command(
    name = "slipstream",
    description = "Measures unmodified programs on TCP and on Slipstream, side by side.",
    subcommands = {
      PingPongCommand.class,
      StreamCommand.class,
      ConnectCommand.class,
      CrowdCommand.class,
      PagesCommand.class,
      StartCommand.class,
      CountingCommand.class,
      MemoryCommand.class,
      RdmaCommand.class,
      PlotCommand.class,
      DemoCommand.class,
      PapersCommand.class
    },
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:measured",
      "1:a program failed",
      "2:bad input",
      "3:a row that should have run over the ring did not"
    })
public final class Main implements Runnable {
  @Spec private CommandSpec spec;

  /** Created by the command line itself. */
  @SuppressWarnings("NullAway.Init") // picocli fills the field in before anything runs
  public Main() {}

  /** Runs the command and ends the process with its exit code. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Main())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(Main::complain);
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "Say what to measure: pingpong, stream, connect, crowd, pages, start, counting, memory or"
            + " rdma; or plot or papers.");
  }

  /** One sentence, not the whole help. */
  private static int complain(ParameterException problem, String[] args) {
    CommandLine commandLine = problem.getCommandLine();
    PrintWriter err = commandLine.getErr();
    err.println(problem.getMessage());
    err.flush();
    return commandLine.getCommandSpec().exitCodeOnInvalidInput();
  }
}
