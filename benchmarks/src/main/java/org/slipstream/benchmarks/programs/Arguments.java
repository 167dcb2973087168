package org.slipstream.benchmarks.programs;

import java.util.Map;

/**
 * The arguments of a program, {@code name=value} each.
 *
 * @param mode how the program waits
 * @param port where the server listens (0: any) and the client connects
 * @param bytes the size of the largest message
 * @param idle how many silent connections are open beside the busy one
 */
record Arguments(Mode mode, int port, int bytes, int idle) {
  static Arguments parse(String[] args) {
    Map<String, String> values = NamedValues.parse(args);
    return new Arguments(
        Mode.of(values.getOrDefault("mode", "blocking")),
        Integer.parseInt(values.getOrDefault("port", "0")),
        Integer.parseInt(values.getOrDefault("bytes", "65536")),
        Integer.parseInt(values.getOrDefault("idle", "0")));
  }

  Arguments withBytes(int other) {
    return new Arguments(mode, port, other, idle);
  }
}
