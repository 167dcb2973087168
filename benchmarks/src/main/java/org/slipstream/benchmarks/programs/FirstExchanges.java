package org.slipstream.benchmarks.programs;

import java.io.EOFException;
import java.io.IOException;

/**
 * The first exchanges of a process, connect included: {@code server MODE} says {@code ready PORT},
 * echoes on one connection and ends with it; {@code client MODE PORT COUNT} says how many
 * nanoseconds so many exchanges took.
 */
public final class FirstExchanges {
  private static final int BYTES = 64;

  private FirstExchanges() {}

  /** Is one of the two. */
  public static void main(String[] args) throws IOException {
    Mode mode = Mode.of(args[1]);
    if (args[0].equals("server")) {
      serve(mode);
    } else {
      exchange(mode, Integer.parseInt(args[2]), Integer.parseInt(args[3]));
    }
  }

  private static void serve(Mode mode) throws IOException {
    Arguments arguments = new Arguments(mode, 0, BYTES, 0);
    try (Listener listener = Listener.open(arguments)) {
      Commands.answer(listener.greeting());
      try (Wire wire = listener.accept(arguments)) {
        for (; ; ) {
          wire.receive(BYTES);
          wire.send(BYTES);
        }
      } catch (EOFException ended) {
        // The client has had its answers.
      }
    }
  }

  private static void exchange(Mode mode, int port, int count) throws IOException {
    long start = System.nanoTime();
    try (Wire wire = Connections.connect(new Arguments(mode, port, BYTES, 0))) {
      for (int i = 0; i < count; i++) {
        wire.send(BYTES);
        wire.receive(BYTES);
      }
      Commands.answer("exchanged " + (System.nanoTime() - start));
    }
  }
}
