package org.slipstream.agent.cli;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code slipstream attach}: switches Slipstream on in a JVM that runs already. */
@Command(
    name = "attach",
    mixinStandardHelpOptions = true,
    description = {
      "Switches Slipstream on in a JVM of this user that runs already.",
      "Sockets and channels that it makes from then on can leave TCP; those that it has, and what"
          + " its open listeners accept, stay on TCP. The command says which of its APIs are"
          + " covered. The JVM warns of an agent that is loaded dynamically, once, unless it was"
          + " started with -XX:+EnableDynamicAgentLoading."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      " 0:new sockets or channels of the process can leave TCP",
      " 1:nothing changed, and the sentence says why",
      " 2:the command line is wrong",
      " 4:Java is older than 25"
    })
final class AttachCommand implements Callable<Integer> {
  @Parameters(paramLabel = "PID", description = "The process.")
  private @Nullable String pid;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description =
          "A setting of the process, without slipstream. before it: --set ring.size=1m. May be"
              + " given again.")
  private List<String> settings = new ArrayList<>();

  @Spec private @Nullable CommandSpec spec;

  AttachCommand() {}

  @Override
  public Integer call() throws IOException {
    String process = Objects.requireNonNull(pid);
    if (!process.matches("[1-9][0-9]{0,9}")) {
      throw wrong("'" + process + "' is no process id");
    }
    for (String setting : settings) {
      if (!setting.matches("[^=,]+=[^,]*")) {
        throw wrong("--set " + setting + " is not KEY=VALUE, or has a comma");
      }
    }
    String outcome = outcome(process, String.join(",", settings));
    List<String> lines = AttachReport.lines(process, outcome);
    lines.forEach(System.out::println);
    return AttachReport.isOn(outcome) ? 0 : 1;
  }

  private ParameterException wrong(String sentence) {
    return new ParameterException(Objects.requireNonNull(spec).commandLine(), sentence);
  }

  /** What the process says became of it. */
  private static String outcome(String pid, String arguments) throws IOException {
    Path jar = AgentJar.path();
    AttachJar agent;
    try {
      agent = AttachJar.write(pid, jar);
    } catch (FileSystemException e) { // it may be gone, or not ours: its JVM says which
      return load(pid, jar.toString(), arguments);
    }
    try (agent) {
      return load(pid, agent.path(), arguments);
    }
  }

  private static String load(String pid, String jar, String arguments) {
    try {
      return AttachedVm.load(pid, jar, arguments);
    } catch (LinkageError e) {
      return "this Java has no module jdk.attach";
    }
  }
}
