package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.tools.attach.VirtualMachine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.process.Tool.Said;

/** What the tools say about streams whose carrier is known. */
class ToolsIT {
  @RegisterExtension final Children children = new Children();

  private String ps(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("ss", "--dir", children.directory().toString()));
    all.addAll(List.of(arguments));
    Said said = Tool.run(List.of(), all.toArray(String[]::new));
    assertThat(said.code()).as(said.text()).isZero();
    return said.text();
  }

  private List<Peer> talkingPair(String... flags) throws Exception {
    List<Peer> pair = children.acceleratedPair(flags);
    connect(pair, "c");
    return pair;
  }

  private void connect(List<Peer> pair, String channel) throws Exception {
    pair.get(1).ask("connect " + channel + " " + pair.get(0).echo("listener-of-" + channel));
    children.upgrade(pair.get(1), channel);
  }

  @Test
  void psShowsWhatEachConnectionIsDoing() throws Exception {
    List<Peer> pair = talkingPair();
    String pid = Long.toString(pair.get(1).pid());

    List<String> lines = ps().lines().filter(line -> line.startsWith(pid)).toList();

    assertThat(lines).hasSize(1);
    assertThat(lines.getFirst()).contains("PeerProgram", "client", "shm", "ESTAB", "%");
    assertThat(ps("--json"))
        .containsPattern("\"messagesOut\":[1-9]")
        .containsPattern("\"messagesIn\":[1-9]")
        .containsPattern("\"ringSizeOut\":262144")
        .containsPattern("\"(spins|wakeUps)In\":[1-9]")
        .contains("\"reason\":\"NONE\"");
  }

  @Test
  void psNamesAProcessThatDoesNotAnswer() throws Exception {
    List<Peer> pair = talkingPair();
    Peer stopped = pair.get(0);
    stopped.stop();
    assertThat(ps("--json")).contains("\"silent\":[" + stopped.pid() + "]");
    assertThat(ps())
        .contains("Process " + stopped.pid() + " did not answer")
        .containsPattern("(?m)^" + pair.get(1).pid() + " ");
    stopped.signal("CONT");
    assertThat(ps("--json")).contains("\"silent\":[]");
  }

  @Test
  void psSaysWhyAStreamIsPlainAndWhatToDo() throws Exception {
    Peer server = children.plain();
    Peer client = children.accelerated();
    int port = server.port("l");
    server.ask("serve l echo");
    client.ask("connect c " + port);
    client.ask("exchange c 20 2000 1");
    Children.soon()
        .untilAsserted(() -> assertThat(children.stream(client).reason()).isNotEqualTo("YOUNG"));
    assertThat(ps()).contains("PEER_NOT_ACCELERATED: the peer does not run Slipstream");
  }

  @Test
  void aProcessThatMayNotUseSharedMemoryIsShownNevertheless() throws Exception {
    List<Peer> pair = children.acceleratedPair("-Dslipstream.transports=ntb");
    Peer client = pair.get(1);
    client.ask("connect c " + pair.get(0).echo("l"));
    client.ask("exchange c 20 2000 1");
    Children.soon()
        .untilAsserted(
            () -> assertThat(children.stream(client).reason()).isEqualTo("NO_TRANSPORT"));
    client.ask("exchange c 20 2000 1");
    assertThat(children.streams())
        .hasSize(2)
        .allMatch(s -> s.ringBytes() == 0)
        .anyMatch(s -> s.pid() == pair.get(0).pid());
  }

  @Test
  void watchingShowsAmountsPerSecond() throws Exception {
    talkingPair();
    assertThat(ps("--watch=0.1", "--count=2")).contains("MSG-OUT/s", "WAKE-UPS/s");
  }

  @Test
  void aProcessThatNobodyRecordsLoadsNoEvents() throws Exception {
    Path log = children.home().resolve("classes.log");
    Peer server = children.accelerated();
    Peer client = children.accelerated("-Xlog:class+load:file=" + log);
    int port = server.port("l");
    server.ask("serve l echo");
    client.ask("connect c " + port);
    children.upgrade(client, "c");

    assertThat(Files.readString(log))
        .contains("org.slipstream.core.status.StreamJournal")
        .doesNotContain("org.slipstream.core.events.FlightEvents")
        .doesNotContain("jdk.jfr.Event ")
        .doesNotContain("jdk.jfr.internal")
        .doesNotContain("java.lang.management.ManagementFactory");
  }

  /** The connector is of a child of this test. */
  @SuppressWarnings("BanJNDI")
  @Test
  void aManagedProcessHasABeanWithTheCounters() throws Exception {
    List<Peer> pair = talkingPair();
    VirtualMachine vm = VirtualMachine.attach(Long.toString(pair.get(1).pid()));
    String address = vm.startLocalManagementAgent();
    vm.detach();
    connect(pair, "d");

    try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
      MBeanServerConnection beans = connector.getMBeanServerConnection();
      ObjectName name = new ObjectName("org.slipstream:type=Slipstream");
      Children.soon().until(() -> beans.isRegistered(name));
      Children.soon()
          .untilAsserted(() -> {
            // The connection of this test is one of them.
            assertThat((Long) beans.getAttribute(name, "StreamsOpen")).isGreaterThanOrEqualTo(2);
            assertThat((Long) beans.getAttribute(name, "StreamsOnLink")).isEqualTo(2);
          });
      assertThat((Long) beans.getAttribute(name, "RingBytesOut")).isGreaterThan(1000);
      assertThat((String) beans.invoke(name, "streamsAsJson", new Object[0], new String[0]))
          .contains("\"carrier\":\"shm\"");
    }
  }
}
