package org.slipstream.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads lists of message sizes. */
final class Sizes {
  private static final Pattern SIZE = Pattern.compile("(\\d{1,9})([kmg]?)");
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
    return (int) bytes("--sizes", word, LARGEST);
  }

  /** Reads one size between 1 and that many bytes. */
  static long bytes(String option, String word, long most) {
    Matcher parts = SIZE.matcher(word.strip().toLowerCase(Locale.ROOT));
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          option + ": '" + word + "' is not a size (use bytes such as 64, 4k or 1m).");
    }
    long unit =
        switch (parts.group(2)) {
          case "k" -> KIB;
          case "m" -> KIB * KIB;
          case "g" -> KIB * KIB * KIB;
          default -> 1;
        };
    long bytes = Long.parseLong(parts.group(1)) * unit;
    if (bytes < 1 || bytes > most) {
      throw new IllegalArgumentException(
          "%s: '%s' is not between 1 and %s.".formatted(option, word, text(most)));
    }
    return bytes;
  }

  private static String text(long bytes) {
    return bytes % (KIB * KIB * KIB) == 0 ? bytes / KIB / KIB / KIB + "g" : bytes / KIB / KIB + "m";
  }
}
