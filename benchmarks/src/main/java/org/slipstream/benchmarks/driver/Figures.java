package org.slipstream.benchmarks.driver;

import java.util.Locale;

/** Figures as people read them: three digits that mean something. */
final class Figures {
  private static final int KIB = 1024;
  private static final int MIB = KIB * KIB;
  private static final String NONE = "-";

  private Figures() {}

  static String size(int bytes) {
    if (bytes >= MIB && bytes % MIB == 0) {
      return bytes / MIB + " MiB";
    }
    if (bytes >= KIB && bytes % KIB == 0) {
      return bytes / KIB + " KiB";
    }
    return bytes + " B";
  }

  static String micros(double nanos) {
    return digits(nanos / 1e3);
  }

  static String ratio(double value) {
    return Double.isFinite(value) ? digits(value) + "x" : NONE;
  }

  static String percent(double value) {
    return Double.isFinite(value) ? digits(value * 100) + " %" : NONE;
  }

  static String count(double value) {
    return Double.isFinite(value) ? String.format(Locale.ROOT, "%,.0f", value) : NONE;
  }

  static String digits(double value) {
    if (!Double.isFinite(value)) {
      return NONE;
    }
    String format = value >= 99.5 ? "%.0f" : value >= 9.95 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, format, value);
  }
}
