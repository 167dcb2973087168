package org.slipstream.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A fenced block of a page in which commands are shown.
 *
 * @param page where it is
 * @param marks above it
 * @param commands without prompts and comments
 * @param others what else is between its fences, unless prompts tell commands from output
 */
record Fence(String page, List<Mark> marks, List<String> commands, List<String> others) {
  private static final Pattern BLOCK =
      Pattern.compile("(?ms)((?:^ *<!-- [^\n]* -->\n)*)^ *```[^\n]*\n(.*?)^ *```");
  private static final Pattern PROMPT = Pattern.compile("^\\w*\\$ (.*)");
  private static final Pattern COMMENT = Pattern.compile("(^|\\s+)# .*$");
  private static final Pattern SIDE_BY_SIDE = Pattern.compile("\\s{4,}(?=\\./)");

  /** What begins a line that is typed in: programs of ours, of the JDK, and of others. */
  private static final Pattern COMMAND =
      Pattern.compile(
          "(?:[A-Z_]+=\\S+ )*"
              + "((?:\\./)?slipstream|\\./mvnw|java|(?:docs/models|\\.)/run\\.sh|jfr|jcmd|docker"
              + "|echo|head|printf|export|config/release|integration-tests/\\S+"
              + "|sudo|apt|apt-get|dpkg|tar|curl|wget|git|mvn|kubectl|podman|sysctl|modprobe)"
              + " .*|(?:docs/models|\\.)/run\\.sh");

  /** Those of a page that show a command. */
  static List<Fence> of(String page, String text) {
    List<Fence> all = new ArrayList<>();
    for (MatchResult block : BLOCK.matcher(text).results().toList()) {
      List<Mark> marks = block.group(1).lines().map(Mark::of).flatMap(Optional::stream).toList();
      List<String> commands = new ArrayList<>();
      List<String> others = new ArrayList<>();
      List<String> lines =
          block.group(2).replaceAll("\\\\\n *", "").lines().map(String::strip).toList();
      boolean prompts = lines.stream().anyMatch(PROMPT.asMatchPredicate());
      for (String line : lines) {
        Matcher prompt = PROMPT.matcher(line);
        String typed = prompt.matches() ? prompt.group(1) : prompts ? "" : line;
        for (String each : SIDE_BY_SIDE.split(typed, -1)) {
          String command = COMMENT.matcher(each).replaceFirst("").strip();
          if (prompt.matches() || COMMAND.matcher(command).matches()) {
            commands.add(command);
          } else if (!command.isEmpty()) {
            others.add(command);
          }
        }
      }
      if (!commands.isEmpty()) {
        all.add(new Fence(page, marks, commands, others));
      }
    }
    return all;
  }

  /** Whether a mark is for it. */
  boolean isMarked(String command) {
    return marks.stream().anyMatch(mark -> mark.covers(command));
  }

  /**
   * A line for each command that is neither run nor marked, and for each mark that is wrong.
   *
   * @param run whether the test itself runs a command
   * @param source the text of a test class, or of a file of the tree
   */
  List<String> complaints(Predicate<String> run, Function<String, Optional<String>> source) {
    List<String> wrong = new ArrayList<>();
    Set<String> needed = new LinkedHashSet<>();
    int unnamed = 0;
    for (String command : commands) {
      if (run.test(command)) {
        continue;
      }
      List<String> runners =
          marks.stream()
              .filter(mark -> mark.covers(command))
              .flatMap(mark -> mark.runners().stream())
              .filter(name -> source.apply(name).filter(Trace.of(command)::isIn).isPresent())
              .toList();
      List<Mark> reasons =
          marks.stream().filter(mark -> !mark.runs() && mark.covers(command)).toList();
      needed.addAll(runners);
      if (runners.isEmpty()) {
        reasons.forEach(mark -> needed.add(mark.text()));
        unnamed++;
      }
      if (runners.isEmpty() && reasons.isEmpty()) {
        wrong.add(page + ": " + command + ": is neither run nor marked");
      }
    }
    for (Mark mark : marks) {
      Stream<String> texts = mark.runs() ? mark.runners().stream() : Stream.of(mark.text());
      texts
          .filter(text -> !needed.contains(text))
          .forEach(text -> wrong.add(page + ": the mark '" + text + "' is for no command below"));
      if (!mark.runs() && mark.which().isEmpty() && unnamed < commands.size()) {
        wrong.add(page + ": the mark '" + mark.text() + "' has to name those that are not run");
      }
    }
    boolean whole = marks.stream().anyMatch(mark -> !mark.runs() && mark.which().isEmpty());
    if (!whole) {
      others.forEach(line -> wrong.add(page + ": " + line + ": is no command that is known"));
    }
    return wrong;
  }
}
