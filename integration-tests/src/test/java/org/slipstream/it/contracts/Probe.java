package org.slipstream.it.contracts;

import java.io.PrintStream;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a program of this package finds: one line for each call, the same in each run. */
final class Probe {
  /** Ports and the like differ from run to run. */
  private static final Pattern NUMBER = Pattern.compile("\\b\\d{4,5}\\b");

  private static final PrintStream OUT = System.out;

  /** A call that gives something. */
  @FunctionalInterface
  interface Call {
    @Nullable Object call() throws Throwable;
  }

  /** A call that gives nothing. */
  @FunctionalInterface
  interface Deed {
    void run() throws Throwable;
  }

  private Probe() {}

  /** Prints what a call gives, or throws. */
  static void see(String what, Call call) {
    OUT.println(what + " -> " + outcome(call));
  }

  /** Whether a getter gave the same object twice. */
  @SuppressWarnings("ReferenceEquality") // that is the question
  static boolean same(Object one, Object other) {
    return one == other;
  }

  /** Prints whether a call throws. */
  static void deed(String what, Deed deed) {
    see(
        what,
        () -> {
          deed.run();
          return "done";
        });
  }

  /** What a call gives, or throws, in words. */
  static String outcome(Call call) {
    String outcome;
    try {
      outcome = String.valueOf(call.call());
    } catch (Throwable t) {
      outcome = describe(t);
    }
    return NUMBER.matcher(outcome).replaceAll("#");
  }

  /** Class and message; causes and stack traces are not part of a contract. */
  static String describe(Throwable t) {
    if (t instanceof ClassCastException || t instanceof NullPointerException) {
      return t.getClass().getName(); // whose message is the JVM's
    }
    return t.getClass().getName() + (t.getMessage() == null ? "" : ": " + t.getMessage());
  }
}
