package org.slipstream.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads lists of message sizes. */
final class Sizes {
  private static final Pattern SIZE = Pattern.compile("(\\d{1,9})([km]?)");
  private static final long KIB = 1024;
  private static final long LARGEST = 64 * KIB * KIB;

  private Sizes() {}

  /** Reads a list such as {@code 64,4k,1m}. */
  static List<Integer> parse(String list) {
    List<Integer> sizes = new ArrayList<>();
    for (String word : list.split(",", -1)) {
      int size = size(word.strip());
      if (sizes.contains(size)) {
        throw new IllegalArgumentException("--sizes names " + size + " twice.");
      }
      sizes.add(size);
    }
    return sizes;
  }

  private static int size(String word) {
    Matcher parts = SIZE.matcher(word.toLowerCase(Locale.ROOT));
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "--sizes: '" + word + "' is not a size (use bytes such as 64, 4k or 1m).");
    }
    long unit =
        switch (parts.group(2)) {
          case "k" -> KIB;
          case "m" -> KIB * KIB;
          default -> 1;
        };
    long bytes = Long.parseLong(parts.group(1)) * unit;
    if (bytes < 1 || bytes > LARGEST) {
      throw new IllegalArgumentException("--sizes: '" + word + "' is not between 1 and 64m.");
    }
    return (int) bytes;
  }
}
