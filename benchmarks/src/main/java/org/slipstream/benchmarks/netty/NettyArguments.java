package org.slipstream.benchmarks.netty;

import java.util.Map;
import org.slipstream.benchmarks.programs.NamedValues;

/**
 * The arguments of a program, {@code name=value} each; unknown ones are for other programs.
 *
 * @param transport of Netty
 * @param port where the server listens (0: any) and the client connects
 * @param idle silent connections in the same event loop
 * @param busy connections that exchange messages at the same time
 * @param flush messages of a flush; 0 for as many as the channel takes
 */
record NettyArguments(NettyTransport transport, int port, int idle, int busy, int flush) {
  static NettyArguments parse(String[] args) {
    Map<String, String> values = NamedValues.parse(args);
    return new NettyArguments(
        NettyTransport.of(values.getOrDefault("transport", "nio")),
        Integer.parseInt(values.getOrDefault("port", "0")),
        Integer.parseInt(values.getOrDefault("idle", "0")),
        Integer.parseInt(values.getOrDefault("busy", "1")),
        Integer.parseInt(values.getOrDefault("flush", "1")));
  }

  int connections() {
    return idle + busy;
  }
}
