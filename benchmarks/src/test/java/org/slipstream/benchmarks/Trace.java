package org.slipstream.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What the text of a test has if it runs a command: the sub-command, as an argument or behind the
 * name of its program, or all words of a command that is not one of ours.
 *
 * @param program before the sub-command
 * @param words all that have to be there
 * @param arguments whether a test has them between quotes
 */
record Trace(String program, List<String> words, boolean arguments) {
  private static final Pattern SETTING = Pattern.compile("-javaagent:slipstream\\.jar=([\\w.]+)=");

  static Trace of(String command) {
    List<String> words =
        new ArrayList<>(List.of(command.replaceFirst("^([A-Z_]+=\\S+ )+", "").split(" +", -1)));
    String program = words.removeFirst().replaceFirst("^\\./slipstream$", "slipstream");
    if (program.equals("java") && command.contains("-jar slipstream.jar ")) {
      program = "slipstream";
      words = words.subList(words.indexOf("slipstream.jar") + 1, words.size());
    }
    return switch (program) {
      case "slipstream" ->
          new Trace(program, first(words.indexOf("memory") == 0 ? 2 : 1, words), true);
      case "docker", "jfr", "jcmd" -> new Trace(program, first(1, words), true);
      case "java" -> new Trace("", List.of(ofJava(command, words)), false);
      default -> {
        words.addFirst(program.replaceFirst("^\\./run", "run"));
        yield new Trace("", words, false);
      }
    };
  }

  private static List<String> first(int number, List<String> words) {
    return List.copyOf(words.subList(0, Math.min(number, words.size())));
  }

  /** A setting of the agent, or the program. */
  private static String ofJava(String command, List<String> words) {
    var setting = SETTING.matcher(command);
    return setting.find()
        ? setting.group(1)
        : words.getLast().replaceFirst(".*/", "").replaceFirst("\\.java$", "");
  }

  boolean isIn(String text) {
    if (!arguments) {
      return words.stream().allMatch(word -> has(text, word));
    }
    return has(text, program + " " + String.join(" ", words))
        || words.stream().allMatch(word -> text.contains('"' + word + '"'));
  }

  private static boolean has(String text, String word) {
    return Pattern.compile("(?<![\\w-])" + Pattern.quote(word) + "(?![\\w-])").matcher(text).find();
  }
}
