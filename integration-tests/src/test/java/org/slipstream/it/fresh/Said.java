package org.slipstream.it.fresh;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;

/** Lines on standard output for the test. */
final class Said {
  private Said() {}

  static void ready(String what) {
    line("ready " + what);
  }

  /** A connection ended before its time. */
  static void early(String where, Throwable how) {
    StringWriter trace = new StringWriter();
    how.printStackTrace(new PrintWriter(trace));
    line("early " + where + ": " + trace.toString().lines().limit(12).toList());
  }

  /** The last line; the process ends. */
  static void done(long count) {
    line("done " + count);
    System.exit(0);
  }

  static void awaitEndOfInput() throws IOException {
    while (System.in.read() >= 0) {
      // the test ends the input
    }
  }

  private static void line(String line) {
    synchronized (System.out) {
      System.out.println(line);
      System.out.flush();
    }
  }
}
