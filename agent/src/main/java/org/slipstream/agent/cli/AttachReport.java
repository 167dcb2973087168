package org.slipstream.agent.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What {@code slipstream attach} prints of what the process said. */
final class AttachReport {
  private static final String ON = "on";

  /** What the process calls them, and how users know them. */
  private static final Map<String, String> APIS = new LinkedHashMap<>();

  /** Why each is not covered. */
  private static final Map<String, String> WHY = new LinkedHashMap<>();

  static {
    APIS.put("sockets", "Socket, ServerSocket");
    APIS.put("channels", "SocketChannel, ServerSocketChannel, Selector");
    APIS.put("asynchronous", "AsynchronousSocketChannel, AsynchronousServerSocketChannel");
    WHY.put("sockets", "the program has a socket factory of its own");
    WHY.put("channels", "the program has opened a channel or a selector already");
    WHY.put("asynchronous", "the program has opened an asynchronous channel already");
  }

  private AttachReport() {}

  /** Whether new sockets or channels of any kind can leave TCP. */
  static boolean isOn(String outcome) {
    return outcome.matches("(\\w+=[\\w-]+ ?)+") && outcome.contains("=" + ON);
  }

  /**
   * Makes the lines.
   *
   * @param pid of the process
   * @param outcome {@code name=on name=in-use}, or a sentence
   */
  static List<String> lines(String pid, String outcome) {
    List<String> lines = new ArrayList<>();
    if (!outcome.matches("(\\w+=[\\w-]+ ?)+")) {
      lines.add("process " + pid + " stays as it was: " + outcome);
      return lines;
    }
    lines.add(
        "process "
            + pid
            + (isOn(outcome)
                ? " upgrades what it opens from now on:"
                : " runs Slipstream, but none of its APIs is covered:"));
    for (String word : outcome.split(" ", -1)) {
      String name = word.substring(0, word.indexOf('='));
      lines.add(
          "  "
              + APIS.getOrDefault(name, name)
              + ": "
              + (word.endsWith("=" + ON)
                  ? "new ones can leave TCP"
                  : "stay on TCP, because " + WHY.getOrDefault(name, "they are in use")));
    }
    lines.add("What was open before stays on TCP, as does what open listeners accept.");
    return lines;
  }
}
