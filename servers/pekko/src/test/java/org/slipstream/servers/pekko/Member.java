package org.slipstream.servers.pekko;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.util.stream.StreamSupport;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.cluster.Cluster;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.sharding.ClusterSharding;
import org.apache.pekko.cluster.sharding.ClusterShardingSettings;
import org.apache.pekko.cluster.sharding.ShardRegion;

/** A member of the cluster, which holds a part of the vertices. */
public final class Member {
  static final String TYPE = "vertex";
  static final String ROLE = "vertices";
  private static final int SHARDS = 30;
  private static final String SYSTEM = "slipstream-it";

  private Member() {}

  /** Messages by the vertex that they are for. */
  static final class ByVertex extends ShardRegion.HashCodeMessageExtractor {
    ByVertex() {
      super(SHARDS);
    }

    @Override
    public String entityId(Object message) {
      return Integer.toString(((Message) message).vertex());
    }
  }

  /**
   * Joins the cluster. Queues hold what a run sends at once: a full one drops messages, because
   * actors promise no delivery.
   */
  static ActorSystem join(String port, String first, String role) {
    Config config =
        ConfigFactory.parseString(
            """
            pekko {
              loglevel = WARNING
              stdout-loglevel = WARNING
              log-dead-letters = off
              actor {
                provider = cluster
                serializers.wire = "%s"
                serialization-bindings { "%s" = wire }
              }
              remote.artery {
                transport = tcp
                canonical { hostname = "127.0.0.1", port = %s }
                advanced.outbound-message-queue-size = 1000000
              }
              cluster {
                seed-nodes = ["pekko://%s@127.0.0.1:%s"]
                roles = ["%s"]
                sharding { buffer-size = 1000000, rebalance-interval = 1 h }
              }
            }
            """
                .formatted(
                    Wire.class.getName(), Message.class.getName(), port, SYSTEM, first, role));
    return ActorSystem.create(SYSTEM, config.withFallback(ConfigFactory.load()));
  }

  /**
   * {@code PORT PORT-OF-THE-FIRST SCALE-OF-THE-GRAPH}.
   *
   * @param args see above
   */
  public static void main(String[] args) throws Exception {
    ActorSystem system = join(args[0], args[1], ROLE);
    Graph graph = Graph.ofScale(Integer.parseInt(args[2]));
    ClusterSharding.get(system)
        .start(
            TYPE,
            Vertex.props(graph),
            ClusterShardingSettings.create(system).withRole(ROLE),
            new ByVertex());
    while (true) {
      long up =
          StreamSupport.stream(Cluster.get(system).state().getMembers().spliterator(), false)
              .filter(member -> member.status().equals(MemberStatus.up()))
              .count();
      System.out.println("MEMBERS " + up);
      Thread.sleep(200);
    }
  }
}
