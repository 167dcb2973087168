package org.slipstream.benchmarks.raw;

import java.io.IOException;
import java.nio.file.Path;
import org.slipstream.benchmarks.programs.Commands;
import org.slipstream.benchmarks.programs.PingPongClient;
import org.slipstream.benchmarks.programs.PingPongServer;
import org.slipstream.benchmarks.programs.StreamClient;
import org.slipstream.benchmarks.programs.StreamServer;

/**
 * A worker on the raw ring: {@code RawProbe pingpong|stream server|client FILE BYTES}. It takes the
 * same commands and gives the same answers as the programs on sockets.
 */
public final class RawProbe {
  /** The size of the file: a ring each way. */
  public static final long FILE_BYTES = 2 * RawRing.BYTES;

  private RawProbe() {}

  /** Maps the file, which must exist, and runs the commands. */
  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length != 4) {
      throw new IllegalArgumentException("use: RawProbe pingpong|stream server|client FILE BYTES");
    }
    boolean server = args[1].equals("server");
    try (RawWire wire = new RawWire(Path.of(args[2]), server, Integer.parseInt(args[3]))) {
      Commands.serve("connected", task(args[0], server, wire));
    }
  }

  private static Commands.Task task(String exercise, boolean server, RawWire wire) {
    return switch (exercise) {
      case "pingpong" ->
          server
              ? slice -> PingPongServer.echo(wire, slice)
              : slice -> PingPongClient.measure(wire, slice).toLine();
      case "stream" ->
          server
              ? slice -> StreamServer.receive(wire)
              : slice -> StreamClient.measure(wire, slice).toLine();
      default -> throw new IllegalArgumentException("'" + exercise + "' is not an exercise");
    };
  }
}
