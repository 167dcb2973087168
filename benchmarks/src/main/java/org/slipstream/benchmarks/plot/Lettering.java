package org.slipstream.benchmarks.plot;

import java.util.ArrayList;
import java.util.List;

/**
 * How much room words need. The reader's browser chooses the font, so this is the width of a wide
 * one (DejaVu Sans).
 */
final class Lettering {
  private static final String NARROW = "iljtfrI.,:;'|!()[]/- ";
  private static final String WIDE = "mwMWGOQ%@µ—→";

  private Lettering() {}

  static double width(String text, double size) {
    double em = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      em +=
          NARROW.indexOf(c) >= 0
              ? 0.42
              : WIDE.indexOf(c) >= 0 ? 0.98 : Character.isUpperCase(c) ? 0.76 : 0.65;
    }
    return em * size;
  }

  /** Lines that are not wider; a word that is wider by itself loses its end. */
  static List<String> lines(String text, double size, double width) {
    List<String> lines = new ArrayList<>();
    String line = "";
    for (String word : text.split(" ", -1)) {
      String longer = line.isEmpty() ? word : line + " " + word;
      if (width(longer, size) <= width) {
        line = longer;
      } else {
        if (!line.isEmpty()) {
          lines.add(line);
        }
        line = fit(word, size, width);
      }
    }
    lines.add(line);
    return lines;
  }

  /** The text, or its beginning. */
  static String fit(String text, double size, double width) {
    if (width(text, size) <= width) {
      return text;
    }
    int end = text.length();
    while (end > 0 && width(text.substring(0, end) + "…", size) > width) {
      end--;
    }
    return text.substring(0, end) + "…";
  }
}
