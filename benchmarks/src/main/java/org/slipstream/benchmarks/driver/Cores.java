package org.slipstream.benchmarks.driver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the processes of a pair run.
 *
 * @param server the server's core, or null if it may run anywhere
 * @param client the client's core, or null if it may run anywhere
 * @param description what was done and why, for the head of the table
 */
record Cores(@Nullable Integer server, @Nullable Integer client, String description) {
  private static final String ALLOWED = "Cpus_allowed_list:";
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Path TOPOLOGY = Path.of("/sys/devices/system/cpu");

  static Cores choose(Plan plan) {
    if (plan.pairs() > 1) {
      return new Cores(null, null, "not pinned: " + plan.pairs() + " pairs share the machine");
    }
    return choose(plan.pin());
  }

  /** For one server and one client. */
  static Cores choose(boolean pin) {
    if (!pin) {
      return new Cores(null, null, "not pinned: --no-pin");
    }
    if (!onPath("taskset")) {
      return new Cores(null, null, "not pinned: there is no taskset command");
    }
    List<Integer> allowed = allowed();
    if (allowed.size() < 2) {
      return new Cores(null, null, "not pinned: this process may use fewer than two cores");
    }
    int server = allowed.getFirst();
    List<Integer> siblings = siblings(server);
    for (int client : allowed) {
      if (!siblings.contains(client)) {
        return of(server, client, "");
      }
    }
    return of(server, allowed.get(1), " (two threads of one core)");
  }

  private static Cores of(int server, int client, String remark) {
    return new Cores(
        server, client, "server pinned to cpu " + server + ", client to cpu " + client + remark);
  }

  /** Returns the words that start a program on this core. */
  static List<String> pinned(@Nullable Integer core) {
    return core == null ? List.of() : List.of("taskset", "-c", core.toString());
  }

  private static boolean onPath(String command) {
    String path = System.getenv("PATH");
    if (path == null) {
      return false;
    }
    for (String directory : path.split(":", -1)) {
      if (Files.isExecutable(Path.of(directory, command))) {
        return true;
      }
    }
    return false;
  }

  private static List<Integer> allowed() {
    try {
      for (String line : Files.readAllLines(STATUS)) {
        if (line.startsWith(ALLOWED)) {
          return parseList(line.substring(ALLOWED.length()));
        }
      }
    } catch (IOException notLinux) {
      // Without /proc there is no taskset either: the caller does not pin.
    }
    return List.of();
  }

  private static List<Integer> siblings(int core) {
    try {
      return parseList(
          Files.readString(TOPOLOGY.resolve("cpu" + core + "/topology/thread_siblings_list")));
    } catch (IOException unknown) {
      return List.of(core);
    }
  }

  /** Reads a kernel list such as {@code 0-3,8}. */
  static List<Integer> parseList(String list) {
    List<Integer> cores = new ArrayList<>();
    for (String range : list.strip().split(",", -1)) {
      String[] ends = range.strip().split("-", -1);
      int first = Integer.parseInt(ends[0]);
      int last = Integer.parseInt(ends[ends.length - 1]);
      for (int core = first; core <= last; core++) {
        cores.add(core);
      }
    }
    return cores;
  }
}
