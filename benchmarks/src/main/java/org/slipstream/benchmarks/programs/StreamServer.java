package org.slipstream.benchmarks.programs;

import java.io.IOException;

/**
 * The receiving side of the one-way stream.
 *
 * <p>A burst is an 8-byte count, so many bytes, and 8 bytes back when the last of them has been
 * read: what the sender measures is therefore received bytes. A negative count is that of a {@link
 * Pattern}, which is compared. A count of zero ends the slice.
 */
public final class StreamServer {
  /** What one read takes at most. */
  private static final int READ_BYTES = 64 * 1024;

  private StreamServer() {}

  /** Listens, accepts one client and receives as the commands say. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Arguments arguments = Arguments.parse(args);
    try (Listener listener = Listener.open(arguments)) {
      Commands.answer(listener.greeting());
      try (Wire wire = listener.accept(arguments.withBytes(READ_BYTES))) {
        Commands.serve("connected", slice -> receive(wire));
      }
    }
  }

  /** Receives bursts up to the empty one. */
  public static String receive(Wire wire) throws IOException {
    while (true) {
      wire.receive(Long.BYTES);
      long total = wire.getLong(0);
      if (total == 0) {
        return "done";
      }
      if (total > 0) {
        drain(wire, total);
      } else {
        compare(wire, -total);
      }
      wire.putLong(0, total);
      wire.send(Long.BYTES);
    }
  }

  private static void compare(Wire wire, long total) throws IOException {
    long place = 0;
    while (place < total) {
      int count = wire.receiveSome((int) Math.min(READ_BYTES, total - place));
      Pattern.check(wire, 0, count, place);
      place += count;
    }
  }

  private static void drain(Wire wire, long total) throws IOException {
    long missing = total;
    while (missing > 0) {
      missing -= wire.receiveSome((int) Math.min(READ_BYTES, missing));
    }
  }
}
