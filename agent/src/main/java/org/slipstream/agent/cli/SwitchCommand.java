package org.slipstream.agent.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slipstream.shm.ProcessInspector;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code slipstream off} and {@code slipstream on}: the kill switch of running processes. */
abstract class SwitchCommand implements Callable<Integer> {
  private static final Pattern MEANT = Pattern.compile("\"pid\":(\\d+),\"meant\":true");

  /** Upgrades nothing more, and takes live streams back to TCP. */
  @Command(
      name = "off",
      mixinStandardHelpOptions = true,
      description = {
        "Takes the streams of running processes back to TCP, without losing a byte, and upgrades",
        "no new ones until 'slipstream on'."
      })
  static final class Off extends SwitchCommand {
    Off() {
      super("off");
    }
  }

  /** Upgrades new streams again. */
  @Command(
      name = "on",
      mixinStandardHelpOptions = true,
      description = "Lets running processes upgrade new streams again, after 'slipstream off'.")
  static final class On extends SwitchCommand {
    On() {
      super("on");
    }
  }

  @Parameters(paramLabel = "PID", arity = "0..*", description = "The processes that are meant.")
  private List<Long> pids = new ArrayList<>();

  @Option(names = "--all", description = "All Slipstream processes of this user on this host.")
  private boolean all;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      converter = DirectoryName.class,
      description = "The runtime directory, if the processes set slipstream.dir.")
  private @Nullable String dir;

  @Spec private @Nullable CommandSpec spec;

  private final String verb;

  SwitchCommand(String verb) {
    this.verb = verb;
  }

  @Override
  public Integer call() throws IOException {
    if (all != pids.isEmpty()) {
      throw new ParameterException(
          Objects.requireNonNull(spec).commandLine(), "Give either process ids or --all.");
    }
    String objection = ProcessInspector.objection(dir);
    if (objection != null) {
      System.err.println("No process can be asked: " + objection);
      return 1;
    }
    StringBuilder question = new StringBuilder(verb);
    for (long pid : pids) {
      question.append(' ').append(pid);
    }
    int switched = 0;
    for (String answer : ProcessInspector.ask(dir, question.toString())) {
      Matcher m = MEANT.matcher(answer);
      if (m.find()) {
        System.out.println("process " + m.group(1) + " is " + verb);
        switched++;
      }
    }
    if (switched < pids.size() || switched == 0) {
      System.out.println(
          "No answer from "
              + (all ? "any process." : (pids.size() - switched) + " of the processes."));
      return 1;
    }
    return 0;
  }
}
