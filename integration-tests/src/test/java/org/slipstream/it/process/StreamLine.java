package org.slipstream.it.process;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One stream as {@code slipstream ps --json} shows it. */
public record StreamLine(
    long pid,
    String local,
    String remote,
    String role,
    String carrier,
    String out,
    String in,
    long ringOut,
    long ringIn,
    long plainOut,
    long plainIn,
    String reason) {
  private static final Pattern OBJECT = Pattern.compile("\\{([^}]*)\\}");

  /** Reads the answers of all processes. */
  public static List<StreamLine> parse(String json) {
    List<StreamLine> lines = new ArrayList<>();
    for (String process : json.split("(?=\\{\"pid\":)", -1)) {
      Matcher pid = Pattern.compile("^\\{\"pid\":(\\d+),").matcher(process);
      if (pid.find()) {
        Matcher object = OBJECT.matcher(process.substring(pid.end()));
        while (object.find()) {
          lines.add(line(Long.parseLong(pid.group(1)), object.group(1)));
        }
      }
    }
    return lines;
  }

  private static StreamLine line(long pid, String members) {
    return new StreamLine(
        pid,
        field(members, "local"),
        field(members, "remote"),
        field(members, "role"),
        field(members, "carrier"),
        field(members, "out"),
        field(members, "in"),
        Long.parseLong(field(members, "ringBytesOut")),
        Long.parseLong(field(members, "ringBytesIn")),
        Long.parseLong(field(members, "plainBytesOut")),
        Long.parseLong(field(members, "plainBytesIn")),
        field(members, "reason"));
  }

  private static String field(String members, String name) {
    Matcher m = Pattern.compile("\"" + name + "\":(?:\"([^\"]*)\"|(\\d+))").matcher(members);
    if (!m.find()) {
      throw new IllegalArgumentException("no " + name + " in " + members);
    }
    return m.group(1) == null ? m.group(2) : m.group(1);
  }

  /** What tells it from all other streams that are open at the moment. */
  public String name() {
    return role + " " + local + " " + remote;
  }

  public boolean onRing() {
    return !carrier.equals("tcp");
  }

  public long ringBytes() {
    return ringOut + ringIn;
  }

  public long plainBytes() {
    return plainOut + plainIn;
  }
}
