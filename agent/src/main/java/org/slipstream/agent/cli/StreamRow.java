package org.slipstream.agent.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One stream as its process describes it: flat names and values, so that a newer process may say
 * more than this tool knows. Every process in the directory may say anything: the patterns look at
 * each character once, and nothing grows with a word that is too long.
 */
final class StreamRow {
  private static final Pattern PROCESS =
      Pattern.compile("^\\{\"pid\":(\\d+),(?:\"program\":\"([^\"]*)\",)?\"streams\":\\[(.*)]}$");
  private static final Pattern OBJECT = Pattern.compile("\\{([^{}]*+)}");
  private static final Pattern MEMBER =
      Pattern.compile("\"(\\w++)\":(?:\"([^\"\\\\]*+)\"|(-?\\d++))");

  /** More than any process has; more would be a joke. */
  private static final int MOST = 100_000;

  /** The longest value that is shown; the longest advice is shorter. */
  private static final int LONGEST = 200;

  private final Map<String, String> members;

  private StreamRow(Map<String, String> members) {
    this.members = members;
  }

  /** Reads the answer of one process; an answer that is none has no rows. */
  static List<StreamRow> parse(String answer) {
    List<StreamRow> rows = new ArrayList<>();
    Matcher process = PROCESS.matcher(answer);
    if (process.matches()) {
      Matcher object = OBJECT.matcher(process.group(3));
      while (object.find() && rows.size() < MOST) {
        Map<String, String> members = new HashMap<>();
        members.put("pid", cut(process.group(1)));
        members.put("program", process.group(2) == null ? "" : cut(process.group(2)));
        Matcher member = MEMBER.matcher(object.group(1));
        while (member.find()) {
          members.put(
              member.group(1), cut(member.group(2) == null ? member.group(3) : member.group(2)));
        }
        rows.add(new StreamRow(members));
      }
    }
    return rows;
  }

  private static String cut(String value) {
    return value.substring(0, Math.min(LONGEST, value.length()));
  }

  /** A value, or nothing if the process did not say it. */
  String text(String name) {
    return members.getOrDefault(name, "");
  }

  /** A number, or 0. */
  long number(String name) {
    String value = text(name);
    return value.matches("-?\\d{1,18}") ? Long.parseLong(value) : 0;
  }

  /** Both ways together. */
  long sum(String name) {
    return number(name + "Out") + number(name + "In");
  }

  /** What tells it from all others. */
  String key() {
    return text("pid") + " " + text("local") + " " + text("remote") + " " + text("role");
  }

  /** Why it is plain, with advice, or nothing. */
  String why() {
    String reason = text("reason");
    return reason.equals("NONE") ? "" : reason + ": " + text("advice");
  }
}
