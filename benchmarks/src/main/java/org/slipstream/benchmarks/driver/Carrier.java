package org.slipstream.benchmarks.driver;

import java.util.Locale;

/** What carries the bytes of a row. */
public enum Carrier {
  /** The programs on the stock JDK. */
  TCP,
  /** The same programs with Slipstream switched on from outside. */
  SHM,
  /** As {@link #SHM}, but without memory for rings: what Slipstream costs a stream on TCP. */
  PLAIN,
  /** A bare ring over a mapped file: the limit. */
  RAW;

  /** Returns the name that the command line and the reports use. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the carrier of that name, whatever its case. */
  public static Carrier of(String name) {
    for (Carrier carrier : values()) {
      if (carrier.name().equalsIgnoreCase(name)) {
        return carrier;
      }
    }
    throw new IllegalArgumentException(
        "'" + name + "' is not a carrier (use tcp, shm, plain or raw)");
  }
}
