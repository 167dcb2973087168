package org.slipstream.benchmarks.netty;

import java.io.IOException;
import org.slipstream.benchmarks.programs.Commands;

/** The echoing side of the ping-pong. */
public final class NettyPingPongServer {
  private NettyPingPongServer() {}

  /** Listens, accepts, and echoes until it is told to quit. */
  public static void main(String[] args) throws IOException, InterruptedException {
    NettyServer.start(NettyArguments.parse(args), new NettyEcho());
    Commands.serve("connected", slice -> "done");
  }
}
