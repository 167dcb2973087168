package org.slipstream.it.guest;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What a JVM says when it crashes ({@code -XX:+ErrorFileToStdout}), and what of it a reader needs.
 * A JVM that crashes before it has begun its first test (it runs in an emulator with several
 * threads, which has to notice each change of compiled code) says nothing about the tests: its
 * guest is booted again. Any other crash is a failure, and a build's log, of which often only the
 * end is kept, shows the thread that crashed.
 */
final class Crash {
  /** {@link GuestMain} says so when it has found its tests: what comes later is a test's. */
  static final String TESTS_BEGIN = "guest: tests begin";

  private static final String FIRST_LINE =
      "# A fatal error has been detected by the Java Runtime Environment:";

  /** Of the sections that name the thread, its stack and its registers. */
  private static final int MOST_LINES = 90;

  /** From here on HotSpot describes the process and the machine, in a thousand lines. */
  private static final List<String> DESCRIPTIONS =
      List.of("---------------  P R O C E S S", "---------------  S Y S T E M");

  private Crash() {}

  /** Whether a JVM that runs {@link GuestMain} crashed before its tests. */
  static boolean beforeTests(String output) {
    return output.contains(FIRST_LINE) && !output.contains(TESTS_BEGIN);
  }

  /**
   * The output with a crash as its last part, so that this is what the end of a log shows, without
   * the process's maps and the machine's description; the whole output if there was no crash.
   */
  static String shortened(String output) {
    int start = output.indexOf(FIRST_LINE);
    if (start < 0) {
      return output;
    }
    String crash =
        output
            .substring(start)
            .lines()
            .takeWhile(line -> DESCRIPTIONS.stream().noneMatch(line::startsWith))
            .limit(MOST_LINES)
            .collect(Collectors.joining("\n"));
    return output.substring(0, start) + crash + "\n(HotSpot's report is longer)\n";
  }
}
