package org.slipstream.servers.hazelcast;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;

/** A member as programs embed it. */
public final class HazelcastMember {
  private HazelcastMember() {}

  /**
   * {@code PORT PORTS-OF-ALL}.
   *
   * @param args see above
   */
  public static void main(String[] args) throws Exception {
    Config config = new Config().setClusterName("slipstream-it");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.getNetworkConfig().setPort(Integer.parseInt(args[0])).setPortAutoIncrement(false);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).addMember(args[1]);
    HazelcastInstance member = Hazelcast.newHazelcastInstance(config);
    while (true) {
      System.out.println("MEMBERS " + member.getCluster().getMembers().size());
      Thread.sleep(200);
    }
  }
}
