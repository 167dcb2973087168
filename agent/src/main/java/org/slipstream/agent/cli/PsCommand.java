package org.slipstream.agent.cli;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slipstream.shm.ProcessInspector;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code slipstream ps}: every stream of every Slipstream process of this user on this host. */
@Command(
    name = "ps",
    aliases = "ss",
    mixinStandardHelpOptions = true,
    description = "Shows every stream of every Slipstream process of this user on this host.")
final class PsCommand implements Callable<Integer> {
  private static final Pattern STREAM =
      Pattern.compile(
          "\\{\"local\":\"([^\"]*)\",\"remote\":\"([^\"]*)\",\"role\":\"([^\"]*)\","
              + "\"carrier\":\"([^\"]*)\",[^}]*\"ringBytesOut\":(\\d+),\"ringBytesIn\":(\\d+),"
              + "\"plainBytesOut\":(\\d+),\"plainBytesIn\":(\\d+),\"reason\":\"([^\"]*)\","
              + "\"advice\":\"([^\"]*)\"\\}");
  private static final Pattern PID = Pattern.compile("\"pid\":(\\d+)");

  @Option(names = "--json", description = "Print JSON for programs.")
  private boolean json;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "The runtime directory, if the processes set slipstream.dir.")
  private @Nullable String dir;

  PsCommand() {}

  @Override
  public Integer call() throws IOException {
    List<String> answers = ProcessInspector.ask(dir, "streams");
    if (json) {
      System.out.println("{\"processes\":[" + String.join(",", answers) + "]}");
      return 0;
    }
    if (answers.isEmpty()) {
      System.out.println("No process of this user runs Slipstream in this network namespace.");
      return 0;
    }
    System.out.printf(
        "%-8s %-6s %-24s %-24s %-7s %14s %14s %14s %14s  %s%n",
        "PID",
        "ROLE",
        "LOCAL",
        "REMOTE",
        "CARRIER",
        "RING OUT",
        "RING IN",
        "TCP OUT",
        "TCP IN",
        "WHY PLAIN");
    for (String answer : answers) {
      print(answer);
    }
    return 0;
  }

  private static void print(String answer) {
    Matcher pid = PID.matcher(answer);
    String process = pid.find() ? pid.group(1) : "?";
    Matcher m = STREAM.matcher(answer);
    while (m.find()) {
      String why = m.group(9).equals("NONE") ? "" : m.group(9) + ": " + m.group(10);
      System.out.printf(
          "%-8s %-6s %-24s %-24s %-7s %14s %14s %14s %14s  %s%n",
          process,
          m.group(3),
          m.group(1),
          m.group(2),
          m.group(4),
          m.group(5),
          m.group(6),
          m.group(7),
          m.group(8),
          why);
    }
  }
}
