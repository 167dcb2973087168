package org.slipstream.benchmarks.driver;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** CPU time of a process as the kernel counts it. */
final class ProcessTime {
  /** The unit of {@code /proc}: USER_HZ is 100 on every Linux that runs a JVM. */
  private static final long TICK_NANOS = 10_000_000;

  /** Fields 14 and 15 of the line; the count begins after the name, which is field 2. */
  private static final int USER = 11;

  private static final int SYSTEM = 12;

  /** The kernel keeps 15 characters of a thread's name. */
  private static final Pattern COMPILER = Pattern.compile("C[12] Compiler");

  private ProcessTime() {}

  /** Returns the user and system time of all threads, ended ones included, or -1 if unknown. */
  static long nanos(long pid) {
    try {
      return parse(Files.readString(Path.of("/proc", Long.toString(pid), "stat")));
    } catch (IOException unknown) {
      return -1;
    }
  }

  /** Returns that of the JVM's compilers, as far as their threads are still there; 0 if unknown. */
  static long compilers(long pid) {
    long nanos = 0;
    Path tasks = Path.of("/proc", Long.toString(pid), "task");
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
      for (Path thread : threads) {
        nanos += compiler(thread);
      }
    } catch (IOException | DirectoryIteratorException unknown) {
      return 0;
    }
    return nanos;
  }

  private static long compiler(Path thread) {
    try {
      boolean compiles = COMPILER.matcher(Files.readString(thread.resolve("comm"))).lookingAt();
      return compiles ? parse(Files.readString(thread.resolve("stat"))) : 0;
    } catch (IOException ended) {
      return 0;
    }
  }

  /** The name may hold spaces and brackets, so the fields are counted from its last bracket. */
  static long parse(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return (Long.parseLong(fields[USER]) + Long.parseLong(fields[SYSTEM])) * TICK_NANOS;
  }
}
