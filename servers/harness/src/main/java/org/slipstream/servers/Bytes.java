package org.slipstream.servers;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Bytes that moved, both ways.
 *
 * @param ring through rings
 * @param plain through the kernel
 */
record Bytes(double ring, double plain) {
  static final Bytes NONE = new Bytes(0, 0);

  private static final Pattern MEMBER = Pattern.compile("\"(ring|plain)Bytes(?:Out|In)\":(\\d+)");

  /** Sums those of a process or of a stream, as {@code slipstream ps --json} says them. */
  static Bytes of(String json) {
    Bytes sum = NONE;
    Matcher member = MEMBER.matcher(json);
    while (member.find()) {
      double value = Double.parseDouble(member.group(2));
      sum = sum.plus(member.group(1).equals("ring") ? new Bytes(value, 0) : new Bytes(0, value));
    }
    return sum;
  }

  Bytes plus(Bytes other) {
    return new Bytes(ring + other.ring, plain + other.plain);
  }

  Bytes minus(Bytes other) {
    return new Bytes(ring - other.ring, plain - other.plain);
  }

  /** What share of them left the kernel; 0 if there are none. */
  double share() {
    return ring == 0 ? 0 : ring / (ring + plain);
  }
}
