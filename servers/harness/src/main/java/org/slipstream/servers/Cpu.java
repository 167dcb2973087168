package org.slipstream.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Processor time of a process, as the kernel counts it.
 *
 * @param user seconds
 * @param system seconds
 */
public record Cpu(double user, double system) {
  /** None. */
  public static final Cpu ZERO = new Cpu(0, 0);

  /** USER_HZ is 100 on every Linux that runs a JVM. */
  private static final double TICKS = 100;

  private static final int USER = 11;
  private static final int SYSTEM = 12;

  /** Reads that of a process; none if it is gone. */
  static Cpu of(String process) {
    try {
      return parse(Files.readString(Path.of("/proc", process, "stat")));
    } catch (IOException e) {
      return ZERO;
    }
  }

  static Cpu parse(String stat) {
    // The name may hold spaces and brackets, so the fields are counted from its last bracket.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return new Cpu(Long.parseLong(fields[USER]) / TICKS, Long.parseLong(fields[SYSTEM]) / TICKS);
  }

  Cpu plus(Cpu other) {
    return new Cpu(user + other.user, system + other.system);
  }

  Cpu minus(Cpu other) {
    return new Cpu(user - other.user, system - other.system);
  }
}
