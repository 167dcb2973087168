package org.slipstream.benchmarks.programs;

import java.util.Locale;

/** How a program waits for its channel. */
public enum Mode {
  /** A blocking channel: the thread sleeps in {@code read} and {@code write}. */
  BLOCKING,
  /** A non-blocking channel and a {@code Selector}: the thread sleeps in {@code select}. */
  SELECTOR,
  /** A non-blocking channel read in a loop: the thread never sleeps. */
  BUSY,
  /** An asynchronous channel: everything happens in completion handlers. */
  ASYNC,
  /** A {@code java.net.Socket}: the thread sleeps in the streams. */
  SOCKET;

  /** Returns the name that the command line and the reports use. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the mode of that name, whatever its case. */
  public static Mode of(String name) {
    for (Mode mode : values()) {
      if (mode.name().equalsIgnoreCase(name)) {
        return mode;
      }
    }
    throw new IllegalArgumentException(
        "'" + name + "' is not a mode (use blocking, selector, busy, async or socket)");
  }
}
