package org.slipstream.benchmarks.netty;

import java.io.IOException;
import org.slipstream.benchmarks.programs.CrowdServer;

/** Echoes small messages on any number of connections, in one event loop of Netty. */
public final class NettyCrowdServer {
  private NettyCrowdServer() {}

  /** Listens, says {@code ready PORT}, and serves until its input ends. */
  public static void main(String[] args) throws IOException, InterruptedException {
    NettyServer.listen(NettyArguments.parse(args), new NettyEcho(), channel -> {});
    CrowdServer.awaitEnd();
  }
}
