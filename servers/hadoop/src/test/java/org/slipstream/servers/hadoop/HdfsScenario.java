package org.slipstream.servers.hadoop;

import java.util.Map;
import org.slipstream.servers.Loop;
import org.slipstream.servers.Run;
import org.slipstream.servers.Scenario;

/** A cluster in memory, and its client. */
record HdfsScenario(boolean transferTo) implements Scenario {
  @Override
  public Scenario.Load start(Run run) throws Exception {
    Map<String, String> settings =
        Map.of(
            "dfs.datanode.transferTo.allowed",
            Boolean.toString(transferTo),
            // Deleted files leave memory soon.
            "dfs.heartbeat.interval",
            "1",
            "dfs.namenode.redundancy.interval.seconds",
            "1s");
    Cluster cluster = Cluster.start(run, run.memory(), settings);
    return Loop.of(
        run,
        run.client("client", cluster.client(), HdfsPatterns.class.getName()),
        HdfsPattern.BURSTS);
  }

  @Override
  public boolean isForNodes() {
    return true;
  }
}
