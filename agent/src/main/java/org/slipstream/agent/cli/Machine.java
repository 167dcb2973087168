package org.slipstream.agent.cli;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slipstream.provider.nio.Installation;
import org.slipstream.shm.ProcessInspector;

/** What {@code doctor} reads about the machine; one sentence each, never an exception. */
final class Machine {
  private static final long LITTLE_SPACE = 64L << 20;

  private Machine() {}

  /** A finding. */
  record Finding(boolean good, String sentence) {}

  static Finding jdk() {
    return new Finding( // an older one does not get here
        true,
        System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
  }

  static Finding cores() {
    int cores = Runtime.getRuntime().availableProcessors();
    return new Finding(
        cores > 1,
        cores > 1 ? cores + "" : "1: with one core no thread spins, each message wakes its reader");
  }

  /**
   * The runtime directory's file system and what is free there. The directory need not exist: the
   * first process makes it, but not its parent.
   *
   * @param configured the value of {@code slipstream.dir}, or null
   */
  static Finding directory(@Nullable String configured) throws IOException {
    String objection = ProcessInspector.objection(configured);
    if (objection != null) {
      return new Finding(false, objection);
    }
    Path directory = ProcessInspector.runtimeDirectory(configured);
    Path existing = directory;
    if (!Files.exists(directory)) {
      Path parent = directory.getParent();
      if (parent == null || !Files.isDirectory(parent)) {
        return new Finding(
            false, directory + ": its parent directory does not exist; set slipstream.dir");
      }
      existing = parent;
    }
    try {
      FileStore store = Files.getFileStore(existing);
      long free = store.getUsableSpace();
      String found = directory + " (" + store.type() + ", " + mebibytes(free) + " free)";
      if (!Files.isWritable(existing)) {
        return new Finding(false, found + ": not writable; set slipstream.dir");
      }
      if (!store.type().equals("tmpfs") && !store.type().equals("ramfs")) {
        return new Finding(
            false,
            (existing.equals(directory)
                    ? found + ": not a tmpfs, so it is slow"
                    : directory + " does not exist, and " + existing + " is no tmpfs to make it in")
                + "; set slipstream.dir");
      }
      return free < LITTLE_SPACE
          ? new Finding(false, found + ": little room; streams without a ring stay on TCP")
          : new Finding(true, found);
    } catch (IOException e) {
      return new Finding(false, directory + ": " + e.getMessage());
    }
  }

  /** A limit of this process by its name in {@code /proc/self/limits}. */
  static Finding limit(String name, long enough, String otherwise) {
    try {
      List<String> lines = Files.readAllLines(Path.of("/proc/self/limits"));
      for (String line : lines) {
        if (line.startsWith(name)) {
          String soft = line.substring(name.length()).strip().split(" +", 2)[0];
          boolean good = soft.equals("unlimited") || Long.parseLong(soft) >= enough;
          return new Finding(good, good ? soft : soft + ": " + otherwise);
        }
      }
      return new Finding(true, "unknown");
    } catch (IOException | NumberFormatException e) {
      return new Finding(true, "unknown: " + e.getMessage());
    }
  }

  /** Whether the agent finds what it has to change in this JDK. */
  static Finding sendfile() {
    try {
      Installation.fileSeams();
      return new Finding(true, "FileChannel.transferTo uses it, or the ring, with the agent");
    } catch (ReflectiveOperationException e) {
      return new Finding(
          false,
          "FileChannel.transferTo copies 8 KiB at a time: in this JDK there is no "
              + e.getMessage());
    }
  }

  static boolean hasRdmaDevice() {
    String[] devices = Path.of("/sys/class/infiniband").toFile().list();
    return devices != null && devices.length > 0;
  }

  private static String mebibytes(long bytes) {
    return String.format(Locale.ROOT, "%d MiB", bytes >> 20);
  }
}
