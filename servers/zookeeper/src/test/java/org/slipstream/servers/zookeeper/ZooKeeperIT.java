package org.slipstream.servers.zookeeper;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.servers.Comparison;
import org.slipstream.servers.Jvm;
import org.slipstream.servers.Least;
import org.slipstream.servers.Loop;
import org.slipstream.servers.Run;
import org.slipstream.servers.Scenario.Load;

/** An ensemble of three servers, and a client: one write to three reads. */
class ZooKeeperIT {
  private static final int SERVERS = 3;
  private static final int OPERATIONS = 1_000;

  private static Load setAndGet(Run run) throws Exception {
    StringBuilder ensemble = new StringBuilder();
    int[] ports = new int[SERVERS];
    for (int i = 0; i < SERVERS; i++) {
      ports[i] = Run.freePort();
      ensemble.append(
          "server.%d=127.0.0.1:%d:%d\n".formatted(i + 1, Run.freePort(), Run.freePort()));
    }
    List<Jvm> servers = new ArrayList<>();
    for (int i = 0; i < SERVERS; i++) {
      Path data = Files.createDirectory(run.directory().resolve("data-" + i));
      Files.writeString(data.resolve("myid"), Integer.toString(i + 1));
      Path configuration = run.directory().resolve("zoo-" + i + ".cfg");
      Files.writeString(
          configuration,
          """
          tickTime=2000
          initLimit=10
          syncLimit=5
          dataDir=%s
          clientPort=%d
          clientPortAddress=127.0.0.1
          admin.enableServer=false
          %s\
          """
              .formatted(data, ports[i], ensemble));
      servers.add(
          run.server(
              "server-" + i,
              List.of("-Xmx128m"),
              "org.apache.zookeeper.server.quorum.QuorumPeerMain",
              configuration.toString()));
    }
    for (Jvm server : servers) {
      server.await(
          "PeerState set to BROADCAST|Peer state changed: (leading|following) - broadcast", 60);
    }
    Jvm client =
        run.client(
            "client", List.of("-Xmx128m"), ZooKeeperLoad.class.getName(), "127.0.0.1:" + ports[0]);
    return Loop.of(run, client, OPERATIONS);
  }

  @Test
  void valuesTravelOnTheRingAndWithoutIt() throws Exception {
    Comparison.run(
        "ZooKeeper, 3 servers, 1 set : 3 gets, 256 B",
        "operations/s",
        Least.of(0.7).each(0.7).between(0.7),
        ZooKeeperIT::setAndGet);
  }
}
