package org.slipstream.core.stream;

import java.io.IOException;

/** An action that may fail. */
@FunctionalInterface
public interface IoAction {
  /**
   * Runs it.
   *
   * @throws IOException if it fails
   */
  void run() throws IOException;
}
