package org.slipstream.agent.cli;

import java.io.IOException;
import org.slipstream.agent.fabric.FabricCommand;
import org.slipstream.agent.memory.MemoryCommand;
import org.slipstream.core.status.BuildInfo;
import org.slipstream.transport.MessageCode;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The tools in the jar: {@code java -jar slipstream.jar COMMAND}. */
@Command(
    name = "slipstream",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    description = {
      "Moves TCP streams between Java programs past the kernel, without a change to the programs.",
      "",
      "Switch it on with -javaagent:slipstream.jar, or with 'slipstream java ARGS...', which the"
          + " installed command and that of the source tree know: java ARGS..., with the agent."
    },
    subcommands = {
      CommandLine.HelpCommand.class,
      PsCommand.class,
      DoctorCommand.class,
      FabricCommand.class,
      SwitchCommand.Off.class,
      SwitchCommand.On.class,
      AttachCommand.class,
      TryCommand.class,
      ReportCommand.class,
      MemoryCommand.class
    })
public final class Main implements Runnable {

  /** Made by picocli. */
  public Main() {}

  /** The version, the commit that it was built from, and the Java that runs it. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"slipstream " + BuildInfo.current(), "Java " + Runtime.version()};
    }
  }

  @Override
  public void run() {
    CommandLine.usage(this, System.out);
  }

  /**
   * Runs a tool.
   *
   * @param args the command and its options
   */
  public static void main(String[] args) {
    System.exit(
        new CommandLine(new Main())
            .setExecutionExceptionHandler(Main::failed)
            .setParameterExceptionHandler(Main::wrong)
            .execute(args));
  }

  /** What is wrong, what may have been meant, and what is right. */
  private static int wrong(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    command.getErr().println(e.getMessage());
    UnmatchedArgumentException.printSuggestions(e, command.getErr());
    command.usage(command.getErr());
    return command.getCommandSpec().exitCodeOnInvalidInput();
  }

  /** What the machine refuses is one sentence; what is our own mistake keeps its stack trace. */
  private static int failed(Exception e, CommandLine command, ParseResult parsed) throws Exception {
    if (!(e instanceof IOException)) {
      throw e;
    }
    System.err.println(
        MessageCode.COMMAND_FAILED.line(command.getCommandName() + ": " + e.getMessage()));
    return command.getCommandSpec().exitCodeOnExecutionException();
  }
}
