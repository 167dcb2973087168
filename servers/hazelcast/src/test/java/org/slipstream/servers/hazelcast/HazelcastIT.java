package org.slipstream.servers.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.servers.Comparison;
import org.slipstream.servers.Comparison.Round;
import org.slipstream.servers.Jvm;
import org.slipstream.servers.Latencies;
import org.slipstream.servers.Run;
import org.slipstream.servers.Scenario.Figures;

/** Three members, and a client: one set to three gets, with a backup of each entry. */
class HazelcastIT {
  private static final int MEMBERS = 3;
  private static final int OPERATIONS = 2_000;
  private static final List<String> SMALL = List.of("-Xmx256m", "-Dhazelcast.logging.type=none");

  private static Figures setAndGet(Run run) throws Exception {
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
    run.begin();
    Jvm client =
        run.client(
            "client",
            SMALL,
            HazelcastLoad.class.getName(),
            addresses,
            Integer.toString(OPERATIONS * run.scale()));
    client.finish(240);
    return Latencies.figures(client.await(Latencies.LINE, 1));
  }

  @Test
  void entriesTravelOnTheRingAndWithoutIt() throws Exception {
    assertThat(Comparison.once(HazelcastIT::setAndGet, false, 1).share()).isZero();
    Round on = Comparison.once(HazelcastIT::setAndGet, true, 1);
    assertThat(on.share()).as("share of bytes that left the kernel").isGreaterThan(0.7);
    Comparison.measureIfWanted(
        "Hazelcast, 3 members, 1 set : 3 gets, 256 B", "operations/s", HazelcastIT::setAndGet);
  }
}
