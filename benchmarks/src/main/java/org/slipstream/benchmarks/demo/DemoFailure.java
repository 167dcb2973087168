package org.slipstream.benchmarks.demo;

import java.io.Serial;

/** The demo did not go as it should; the message is the sentence for the user. */
public final class DemoFailure extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  /** Creates one from its sentence. */
  DemoFailure(String message) {
    super(message);
  }
}
