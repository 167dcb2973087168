package org.slipstream.benchmarks.programs;

import java.util.HashMap;
import java.util.Map;

/** The arguments of a program, {@code name=value} each. */
public final class NamedValues {
  private NamedValues() {}

  /** Returns the values by their names; unknown names are for other programs. */
  public static Map<String, String> parse(String[] args) {
    Map<String, String> values = new HashMap<>();
    for (String arg : args) {
      int equals = arg.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("'" + arg + "' is not name=value");
      }
      values.put(arg.substring(0, equals), arg.substring(equals + 1));
    }
    return values;
  }
}
