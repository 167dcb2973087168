package org.slipstream.benchmarks.plot;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The horizontal axis: the values that were measured, and no others.
 *
 * @param label what they are
 * @param bars whether the points are bars in groups, and not on lines over a logarithmic axis
 * @param texts of the values, in order
 */
record Positions(String label, boolean bars, SortedMap<Double, String> texts) {
  static Positions logarithmic(String label, SortedMap<Double, String> texts) {
    return new Positions(label + " (logarithmic)", false, texts);
  }

  /** Groups of bars, at 0, 1, 2 and so on. */
  static Positions groups(String label, List<String> names) {
    SortedMap<Double, String> texts = new TreeMap<>();
    for (String name : names) {
      texts.put((double) texts.size(), name);
    }
    return new Positions(label, true, texts);
  }

  /** Returns how far to the right a value is: 0 is the left end, and 1 the right one. */
  double at(double value) {
    if (bars) {
      return (value + 0.5) / texts.size();
    }
    double first = Math.log(texts.firstKey());
    double last = Math.log(texts.lastKey());
    return first == last ? 0.5 : 0.04 + 0.92 * (Math.log(value) - first) / (last - first);
  }
}
