package org.slipstream.servers;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** What it costs this process to be a new JVM, as the kernel counts it: in steps of 10 ms. */
final class Start {
  /** USER_HZ is 100 on every Linux that runs a JVM. */
  private static final double TICKS = 100;

  /** Behind the name of the process, counted from 0. */
  private static final int START_TIME = 19;

  private Start() {}

  /** Seconds since the machine was started. */
  static double uptime() throws IOException {
    return Double.parseDouble(Files.readString(Path.of("/proc/uptime")).split(" ", 2)[0]);
  }

  /** When this process was started, as {@link #uptime}; NaN if the kernel does not say. */
  static double ofThisProcess() {
    try {
      String stat = Files.readString(Path.of("/proc/self/stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return Long.parseLong(fields[START_TIME]) / TICKS;
    } catch (IOException e) {
      return Double.NaN;
    }
  }

  /** Seconds of processor time of the compilers that are still there; NaN if that is not known. */
  static double compilers() {
    double seconds = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : tasks) {
        try {
          if (Files.readString(task.resolve("comm")).matches("C[12] Compiler.*\\s*")) {
            Cpu cpu = Cpu.parse(Files.readString(task.resolve("stat")));
            seconds += cpu.user() + cpu.system();
          }
        } catch (IOException e) {
          // It ended meanwhile.
        }
      }
      return seconds;
    } catch (IOException e) {
      return Double.NaN;
    }
  }
}
