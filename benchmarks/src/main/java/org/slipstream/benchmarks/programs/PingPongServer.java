package org.slipstream.benchmarks.programs;

import java.io.IOException;

/** The echoing side of the ping-pong. */
public final class PingPongServer {
  /** In the first byte of a message: more will come. */
  static final byte MORE = 0;

  /** In the first byte of a message: the last one of this slice. */
  static final byte LAST = 1;

  private PingPongServer() {}

  /** Listens, accepts one client and echoes as the commands say. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Arguments arguments = Arguments.parse(args);
    if (arguments.mode() == Mode.ASYNC) {
      AsynchronousPingPong.serve(arguments);
      return;
    }
    try (Listener listener = Listener.open(arguments)) {
      Commands.answer(listener.greeting());
      try (Wire wire = listener.accept(arguments)) {
        Commands.serve("connected", slice -> echo(wire, slice));
      }
    }
  }

  /** Echoes messages of one size up to and with the last one. */
  public static String echo(Wire wire, Slice slice) throws IOException {
    int size = slice.size();
    do {
      wire.receive(size);
      wire.send(size);
    } while (wire.get(0) != LAST);
    return "done";
  }
}
