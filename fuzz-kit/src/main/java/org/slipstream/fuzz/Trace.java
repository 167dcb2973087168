package org.slipstream.fuzz;

import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a parser did with one input. */
public final class Trace {
  /** Of its stack: where it was made, and which code asked for that. */
  private static final int PLACES_OF_EXCEPTION = 2;

  private final Set<String> reached = new TreeSet<>();
  private @Nullable String refusal;
  private String where = "";

  Trace() {}

  /**
   * The parser got somewhere. Inputs that reach a new place, or a new set of places, are kept and
   * mutated further.
   *
   * @param place its name; there are few
   */
  public void reached(String place) {
    reached.add(place);
  }

  /**
   * The parser refused the input without an exception.
   *
   * @param why few different texts; digits do not count
   */
  public void refused(String why) {
    if (refusal == null) {
      refusal = why;
      where = why.replaceAll("[0-9]+", "#");
    }
  }

  void threw(Exception e) {
    refusal = e.toString();
    StackTraceElement[] stack = e.getStackTrace();
    StringBuilder w = new StringBuilder(e.getClass().getName());
    for (int i = 0; i < Math.min(stack.length, PLACES_OF_EXCEPTION); i++) {
      w.append(' ').append(stack[i]);
    }
    where = w.toString(); // the message may quote the input
  }

  Set<String> places() {
    return reached;
  }

  @Nullable String refusal() {
    return refusal;
  }

  boolean isAccepted() {
    return refusal == null;
  }

  /** The same for inputs that went the same way, as far as the trace shows. */
  String way() {
    return reached + " " + (refusal == null ? "accepted" : where);
  }
}
