package org.slipstream.it.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a process holds, as the kernel sees it from outside.
 *
 * @param descriptors open sockets, pipes, epoll instances, and files in the runtime directory
 * @param mappings mapped pieces of the runtime directory, deleted files as well
 * @param threads Java threads, without those that come and go
 */
record Census(List<String> descriptors, List<String> mappings, List<String> threads) {

  /** Threads that come and go: the JDK's by its own rules, ours half a second after their work. */
  private static final List<String> PASSING =
      List.of(
          "ForkJoinPool",
          "VirtualThread",
          "Read-Poller",
          "Write-Poller",
          "Attach_",
          "Signal_",
          "slipstream-switch-");

  /** One of each comes when a process has slept a hundred times, and stays. */
  private static final String WATCHER = "slipstream-watcher";

  private static final String EPOLL = "anon_inode:[eventpoll]";

  /** Counts a process; a thread of it has to answer. */
  static Census of(Peer peer, Path directory) throws Exception {
    List<String> threads = new ArrayList<>();
    for (String name : peer.threads()) {
      if (PASSING.stream().noneMatch(name::startsWith)) {
        threads.add(name);
      }
    }
    List<String> descriptors = new ArrayList<>(descriptors(peer.pid(), directory));
    if (threads.remove(WATCHER)) {
      descriptors.remove(EPOLL);
    }
    return new Census(descriptors, mappings(peer.pid(), directory), threads);
  }

  static List<String> descriptors(long pid, Path directory) throws IOException {
    try (Stream<Path> list = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      return list.map(Census::target)
          .filter(t -> !t.startsWith("/") || t.startsWith(directory.toString()))
          .filter(t -> !t.isEmpty())
          .sorted()
          .toList();
    }
  }

  private static String target(Path link) {
    try {
      // The number of a socket or pipe says nothing.
      return Files.readSymbolicLink(link).toString().replaceAll(":\\[\\d+]", "");
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }

  static List<String> mappings(long pid, Path directory) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid + "/maps")).stream()
        .filter(l -> l.contains(directory.toString()))
        .map(l -> l.substring(l.indexOf('/')))
        .sorted()
        .toList();
  }

  /** The one-letter state of a process; T is stopped. */
  static char state(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All files below a directory. */
  static List<Path> files(Path directory) {
    if (!Files.exists(directory)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(p -> !p.equals(directory)).toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of(directory); // it changes: look again
    }
  }
}
