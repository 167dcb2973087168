package org.slipstream.servers.hazelcast;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.servers.Comparison;
import org.slipstream.servers.Jvm;
import org.slipstream.servers.Least;
import org.slipstream.servers.Loop;
import org.slipstream.servers.Run;
import org.slipstream.servers.Scenario.Load;

/** Three members, and a client: one set to three gets, with a backup of each entry. */
class HazelcastIT {
  private static final int MEMBERS = 3;
  private static final int OPERATIONS = 2_000;
  private static final List<String> SMALL = List.of("-Xmx256m", "-Dhazelcast.logging.type=none");

  private static Load setAndGet(Run run) throws Exception {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < MEMBERS; i++) {
      all.add("127.0.0.1:" + Run.freePort());
    }
    String addresses = String.join(",", all);
    List<Jvm> members = new ArrayList<>();
    for (String address : all) {
      String port = address.substring(address.indexOf(':') + 1);
      members.add(
          run.server("member-" + port, SMALL, HazelcastMember.class.getName(), port, addresses));
    }
    for (Jvm member : members) {
      member.await("^MEMBERS " + MEMBERS + "$", 90);
    }
    Jvm client = run.client("client", SMALL, HazelcastLoad.class.getName(), addresses);
    return Loop.of(run, client, OPERATIONS);
  }

  @Test
  void entriesTravelOnTheRingAndWithoutIt() throws Exception {
    Comparison.run(
        "Hazelcast, 3 members, 1 set : 3 gets, 256 B",
        "operations/s",
        Least.of(0.7).each(0.7).between(0.7),
        HazelcastIT::setAndGet);
  }
}
