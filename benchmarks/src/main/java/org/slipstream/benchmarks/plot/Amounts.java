package org.slipstream.benchmarks.plot;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Numbers as they stand beside axes and marks. */
final class Amounts {
  private static final double KILO = 1e3;
  private static final double MEGA = 1e6;
  private static final double GIGA = 1e9;
  private static final long KIB = 1024;
  private static final long MIB = KIB * KIB;

  private Amounts() {}

  /** Short: 0.25, 20, 5 k, 1 M. */
  static String tick(double value) {
    if (value >= GIGA) {
      return plain(value / GIGA) + " G";
    }
    if (value >= MEGA) {
      return plain(value / MEGA) + " M";
    }
    return value >= KILO ? plain(value / KILO) + " k" : plain(value);
  }

  /** Three digits that mean something, or all of a large number. */
  static String full(double value) {
    return value >= KILO ? String.format(Locale.ROOT, "%,.0f", value) : plain(value);
  }

  private static String plain(double value) {
    return value == 0
        ? "0"
        : new BigDecimal(value).round(new MathContext(3)).stripTrailingZeros().toPlainString();
  }

  /** The words, as the beginning of a title. */
  static String capital(String words) {
    return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }

  static String bytes(double value) {
    long bytes = Math.round(value);
    if (bytes >= MIB && bytes % MIB == 0) {
      return bytes / MIB + " MiB";
    }
    return bytes >= KIB && bytes % KIB == 0 ? bytes / KIB + " KiB" : bytes + " B";
  }
}
