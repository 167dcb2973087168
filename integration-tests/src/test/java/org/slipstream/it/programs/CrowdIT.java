package org.slipstream.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.process.StreamLine;
import org.slipstream.it.programs.Launches.Program;
import org.slipstream.testkit.Alone;
import org.slipstream.testkit.Patience;

/**
 * Ten thousand virtual threads, each with its own stream on the ring, and none pins its carrier.
 */
@Alone("ten thousand streams take two gigabytes")
class CrowdIT {
  private static final int CROWD = Integer.getInteger("slipstream.test.crowd", 10_000);

  @RegisterExtension final Launches launches = new Launches();

  @Test
  void allMakeProgressAndNoThreadIsPinned() throws Exception {
    List<String> flags = new ArrayList<>(launches.agent());
    flags.addAll(List.of("-Xmx1g", "-Dslipstream.ring.size=16k", "-Dslipstream.memory.limit=1g"));
    Program server =
        launches.start(
            flags, CrowdProgram.class, "server", launches.home().resolve("server.jfr").toString());
    Program client =
        launches.start(
            flags,
            CrowdProgram.class,
            "client",
            server.await("ready"),
            Integer.toString(CROWD),
            launches.home().resolve("client.jfr").toString());
    client.await("crowd");
    Patience.await()
        .atMost(Patience.LONG)
        .pollInterval(Duration.ofSeconds(2))
        .untilAsserted(() -> {
          List<StreamLine> streams = launches.ps();
          assertThat(streams).hasSize(2 * CROWD);
          assertThat(streams.stream().filter(s -> !s.onRing() || s.ringIn() == 0).limit(5))
              .as("streams that are not on the ring")
              .isEmpty();
        });
    client.tell("");
    client.await("progress");
    assertThat(client.await("pinned")).as(client.said()).isEqualTo("0");
    server.tell("");
    assertThat(server.await("pinned")).as(server.said()).isEqualTo("0");
    client.end();
    server.end();
  }
}
