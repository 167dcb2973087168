package org.slipstream.agent.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slipstream.shm.ProcessInspector;
import org.slipstream.shm.ProcessInspector.Answers;
import org.slipstream.shm.ProcessInspector.Silent;
import org.slipstream.transport.MessageCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code slipstream off} and {@code slipstream on}: the kill switch of running processes. */
abstract class SwitchCommand implements Callable<Integer> {
  private static final Pattern MEANT = Pattern.compile("\"pid\":(\\d{1,10}),\"meant\":true");
  private static final int NO_ANSWER = 1;

  /** Upgrades nothing more, and takes live streams back to TCP. */
  @Command(
      name = "off",
      mixinStandardHelpOptions = true,
      description =
          "Takes the streams of running processes back to TCP, without losing a byte, and upgrades"
              + " no new ones until 'slipstream on'.",
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {
        " 0:all that are meant are off; with --all, also if no process runs Slipstream",
        " 1:a process that is meant did not answer, or the runtime directory can not be used",
        " 2:the command line is wrong",
        " 4:Java is older than 25"
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
      description = "Lets running processes upgrade new streams again, after 'slipstream off'.",
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {
        " 0:all that are meant are on; with --all, also if no process runs Slipstream",
        " 1:a process that is meant did not answer, or the runtime directory can not be used",
        " 2:the command line is wrong",
        " 4:Java is older than 25"
      })
  static final class On extends SwitchCommand {
    On() {
      super("on");
    }
  }

  /** Words: of one that is no number the parser would say only that it is unmatched. */
  @Parameters(paramLabel = "PID", arity = "0..*", description = "The processes that are meant.")
  private List<String> pids = new ArrayList<>();

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

  private ParameterException wrong(String sentence) {
    return new ParameterException(Objects.requireNonNull(spec).commandLine(), sentence);
  }

  private static boolean isProcessId(String word) {
    return word.matches("[1-9][0-9]{0,9}");
  }

  @Override
  public Integer call() throws IOException {
    if (all != pids.isEmpty()) {
      throw wrong("Give either process ids or --all.");
    }
    Set<Long> open = new TreeSet<>();
    for (String word : pids) {
      if (!isProcessId(word)) {
        throw wrong("'" + word + "' is no process id");
      }
      open.add(Long.valueOf(word));
    }
    dir = DirectoryName.orOfHost(dir);
    String objection = ProcessInspector.objection(dir);
    if (objection != null) {
      System.err.println(
          MessageCode.NO_PROCESS_ASKED.line("No process can be asked: " + objection));
      return 1;
    }
    StringBuilder question = new StringBuilder(verb);
    open.forEach(pid -> question.append(' ').append(pid));
    Answers answers = ProcessInspector.askAll(dir, question.toString());
    int switched = 0;
    for (String answer : answers.said()) {
      Matcher m = MEANT.matcher(answer);
      if (m.find()) {
        System.out.println("process " + m.group(1) + " is " + verb);
        open.remove(Long.valueOf(m.group(1)));
        switched++;
      }
    }
    boolean failed = !open.isEmpty();
    for (Silent silent : answers.silent()) {
      if (all || open.remove(silent.pid())) {
        System.out.println(PsCommand.complaint(silent));
        failed = true;
      }
    }
    for (long pid : open) {
      System.out.println(
          "Process "
              + pid
              + " does not run Slipstream"
              + (dir == null
                  ? ", or it sets slipstream.dir: see --dir."
                  : " with slipstream.dir=" + dir + "."));
    }
    if (all && switched == 0 && !failed) {
      System.out.println(PsCommand.noProcess(dir));
    }
    return failed ? NO_ANSWER : 0;
  }
}
