package org.slipstream.core.status;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slipstream.core.stream.Total;

/**
 * What one process tells a tool that asks, and the one writer and reader of its text: JSON with
 * flat names and values, so that a newer process may say more than the tool knows. Any process in
 * the directory may answer anything: the reader looks at each character once, and nothing grows
 * with a word that is too long. A tool prints what it has read, and never the text of a process.
 *
 * @param members of the process; each value is a {@code String} or a {@code Long}
 * @param streams of its streams, or of its sessions with other processes; empty in an answer about
 *     the sums of a process
 */
public record ProcessStatus(Map<String, Object> members, List<StreamRow> streams) {
  private static final Pattern MEMBER =
      Pattern.compile("\\s*+\"(\\w{1,64}+)\":(?:\"([^\"\\\\]*+)\"|(-?\\d{1,18}+))");

  /** A member of answers whose rows are sessions, and not streams: how many are open. */
  public static final String SESSIONS_OPEN = "sessionsOpen";

  /** A member of all answers: the version of Slipstream in the process. */
  public static final String VERSION = "version";

  /** A member of all answers: the commit that this version was built from. */
  public static final String COMMIT = "commit";

  private static final String SESSIONS = "\"sessions\":[";
  private static final String STREAMS = "\"streams\":[";
  private static final String PROCESSES = "{\"processes\":[";

  /** What would end a string of JSON, or move the cursor of a terminal. */
  private static final Pattern UNSAFE = Pattern.compile("[\"\\\\\\p{Cc}]");

  /** More streams than any process has. */
  private static final int MOST = 100_000;

  /** The longest value that is kept; the longest advice is shorter. */
  private static final int LONGEST = 200;

  /**
   * Reads the answer of one process.
   *
   * @param text whatever it said
   * @return nothing if that is no answer
   */
  public static Optional<ProcessStatus> parse(String text) {
    Reader reader = new Reader(text, 0);
    Optional<ProcessStatus> read = reader.process();
    return reader.at == text.length() ? read : Optional.empty();
  }

  /**
   * Reads what {@code slipstream ps --json} printed, or answers with commas between them.
   *
   * @param text of the tool
   * @return the processes up to the first that can not be read
   */
  public static List<ProcessStatus> parseAll(String text) {
    List<ProcessStatus> all = new ArrayList<>();
    Reader reader = new Reader(text, text.startsWith(PROCESSES) ? PROCESSES.length() : 0);
    Optional<ProcessStatus> next = reader.process();
    while (next.isPresent()) {
      all.add(next.get());
      reader.take(",");
      next = reader.process();
    }
    return all;
  }

  /**
   * Writes what a tool prints of all processes, without the end of the object.
   *
   * @param all the processes
   * @return the beginning of a JSON object
   */
  public static String json(List<ProcessStatus> all) {
    return all.stream().map(ProcessStatus::json).collect(Collectors.joining(",", PROCESSES, "]"));
  }

  /**
   * Writes the answer.
   *
   * @return one JSON object, in one line
   */
  public String json() {
    StringBuilder out = new StringBuilder("{");
    append(out, members);
    boolean isAboutSums = members.containsKey(Total.ALL.getFirst().name());
    if (!isAboutSums || !streams.isEmpty()) {
      out.append(',').append(members.containsKey(SESSIONS_OPEN) ? SESSIONS : STREAMS);
      String separator = "{";
      for (StreamRow row : streams) {
        append(out.append(separator), row.members());
        out.append('}');
        separator = ",{";
      }
      out.append(']');
    }
    return out.append('}').toString();
  }

  /**
   * A number of the process.
   *
   * @param name of the member
   * @return 0 if the process did not say it
   */
  public long number(String name) {
    return members.get(name) instanceof Long number ? number : 0;
  }

  private static void append(StringBuilder out, Map<String, Object> members) {
    String separator = "\"";
    for (Map.Entry<String, Object> member : members.entrySet()) {
      out.append(separator).append(member.getKey()).append("\":");
      if (member.getValue() instanceof Long number) {
        out.append(number.longValue());
      } else {
        String word = UNSAFE.matcher(member.getValue().toString()).replaceAll("?");
        out.append('"').append(word).append('"');
      }
      separator = ",\"";
    }
  }

  /** A place in a text. */
  private static final class Reader {
    private final String text;
    private final Matcher member;
    private int at;

    Reader(String text, int at) {
      this.text = text;
      this.member = MEMBER.matcher(text);
      this.at = at;
    }

    boolean take(String expected) {
      boolean isThere = text.startsWith(expected, at);
      at += isThere ? expected.length() : 0;
      return isThere;
    }

    Optional<ProcessStatus> process() {
      if (!take("{")) {
        return Optional.empty();
      }
      Map<String, Object> members = members();
      ProcessStatus process = new ProcessStatus(members, new ArrayList<>());
      if ((take(STREAMS) || take(SESSIONS)) && !streams(process)) {
        return Optional.empty();
      }
      boolean isOne = members.get("pid") instanceof Long pid && pid >= 0 && take("}");
      return isOne ? Optional.of(process) : Optional.empty();
    }

    private boolean streams(ProcessStatus process) {
      while (take("{")) {
        StreamRow row = new StreamRow(process.members(), members());
        if (!take("}")) {
          return false;
        }
        if (process.streams.size() < MOST) {
          process.streams.add(row);
        }
        take(",");
      }
      return take("]");
    }

    private Map<String, Object> members() {
      Map<String, Object> members = new LinkedHashMap<>();
      while (member.region(at, text.length()).lookingAt()) {
        String word = member.group(2);
        members.put(
            member.group(1),
            word == null
                ? (Object) Long.valueOf(member.group(3))
                : word.substring(0, Math.min(LONGEST, word.length())));
        at = member.end();
        take(",");
      }
      return members;
    }
  }
}
