package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.tools.attach.VirtualMachine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.core.status.BuildInfo;
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
        .containsPattern("\"ringSizeOut\":1048576")
        .containsPattern("\"(spins|wakeUps)In\":[1-9]")
        .contains("\"reason\":\"NONE\"");
  }

  /** Of the tool, and of each process; a process of another build gets a line of its own. */
  @Test
  void toolAndPsSayWhichBuildRuns() throws Exception {
    List<Peer> pair = talkingPair();
    BuildInfo build = BuildInfo.current();
    assertThat(Tool.run(List.of(), "--version").text()).startsWith("slipstream " + build + "\n");
    String members =
        "\"version\":\"" + build.version() + "\",\"commit\":\"" + build.commit() + "\"";
    for (String[] view : new String[][] {{"--json"}, {"--json", "--totals"}}) {
      String json = ps(view);
      for (Peer peer : pair) {
        assertThat(json).containsPattern("\\{\"pid\":" + peer.pid() + ",[^{]*" + members);
      }
    }
    assertThat(ps()).doesNotContain("runs Slipstream");
  }

  @Test
  void psNamesAProcessThatDoesNotAnswer() throws Exception {
    List<Peer> pair = talkingPair();
    Peer stopped = pair.get(0);
    stopped.stop();
    // Where the machine has no time for the other one, that is as silent.
    Children.soon()
        .untilAsserted(
            () -> assertThat(ps("--json")).contains("\"silent\":[" + stopped.pid() + "]"));
    Children.soon()
        .untilAsserted(() ->
            assertThat(ps())
                .contains("Process " + stopped.pid() + " did not answer")
                .containsPattern("(?m)^" + pair.get(1).pid() + " "));
    stopped.signal("CONT");
    Children.soon().untilAsserted(() -> assertThat(ps("--json")).contains("\"silent\":[]"));
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
        .untilAsserted(
            () -> assertThat(children.stream(client).reason()).isNotEqualTo("NOT_YET_ELIGIBLE"));
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
  void watchingShowsAmountsPerSecondOrALineForEachLook() throws Exception {
    Peer client = talkingPair().get(1);
    CompletableFuture<String> load = client.begin("load c 2000 1");
    Children.soon()
        .untilAsserted(() -> {
          List<String> lines = ps("--watch=0.2", "--count=2").lines().toList();
          List<String> head = lines.stream().filter(l -> l.startsWith("PID ")).toList();
          assertThat(head).hasSize(2);
          assertThat(head.getFirst()).contains(" MSG-OUT ").doesNotContain("/s");
          List<String> names = List.of(head.getLast().split(" +", -1));
          String row =
              lines.subList(lines.indexOf(head.getLast()), lines.size()).stream()
                  .filter(l -> l.startsWith(client.pid() + " "))
                  .findFirst()
                  .orElseThrow(() -> new AssertionError(lines));
          List<String> cells = List.of(row.split(" +", -1));
          for (String rate : List.of("OUT/s", "IN/s", "MSG-OUT/s", "MSG-IN/s")) {
            assertThat(cells.get(names.indexOf(rate))).as(rate).matches("[1-9][0-9.]*[kMGT]?");
          }
          assertThat(names).contains("TCP-OUT/s", "SPINS/s", "WAKE-UPS/s", "RING-OUT");
        });
    Children.soon()
        .untilAsserted(() -> {
          List<String> looks = ps("--json", "--watch=0.1", "--count=3").lines().toList();
          assertThat(looks)
              .hasSize(3)
              .allMatch(l -> l.startsWith("{\"processes\":[") && l.endsWith("\"silent\":[]}"));
          long[] bytes =
              looks.stream().mapToLong(l -> of(client, StreamLine.parse(l)).ringOut()).toArray();
          assertThat(bytes).isSorted();
          assertThat(bytes[2]).isGreaterThan(bytes[0]);
        });
    client.ask("enough");
    client.ok(load, "the load");
  }

  private static StreamLine of(Peer peer, List<StreamLine> all) {
    List<StreamLine> its = all.stream().filter(s -> s.pid() == peer.pid()).toList();
    assertThat(its).hasSize(1);
    return its.getFirst();
  }

  @Test
  void psCountsEachByteAndMessageOnceAndShowsWhichEndHasEnded() throws Exception {
    List<Peer> pair = quietPair();
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    final String before = ps("--json");
    for (int i = 0; i < 7; i++) {
      client.ask("write c 1000 1");
      server.ask("read s 1000 1");
    }
    server.ask("write s 300 1");
    client.ask("read c 300 1");
    String after = ps("--json");
    assertThat(grown("ringBytesOut", client, before, after)).isEqualTo(7_000);
    assertThat(grown("ringBytesIn", server, before, after)).isEqualTo(7_000);
    assertThat(grown("messagesOut", client, before, after)).isEqualTo(7);
    assertThat(grown("messagesIn", server, before, after)).isEqualTo(7);
    assertThat(grown("ringBytesOut", server, before, after)).isEqualTo(300);
    assertThat(grown("messagesOut", server, before, after)).isEqualTo(1);
    assertThat(grown("messagesIn", client, before, after)).isEqualTo(1);
    for (Peer peer : pair) {
      assertThat(grown("plainBytesOut", peer, before, after)).isZero();
      assertThat(grown("plainBytesIn", peer, before, after)).isZero();
    }
    showsWhichEndHasEnded(server, client);
  }

  private static long grown(String member, Peer peer, String before, String after) {
    return member(member, peer, after) - member(member, peer, before);
  }

  /** A number of the only stream of a process. */
  private static long member(String name, Peer peer, String json) {
    Matcher m =
        Pattern.compile("\\{\"pid\":" + peer.pid() + ",[^\\[]*\\[\\{[^}]*\"" + name + "\":(\\d+)")
            .matcher(json);
    assertThat(m.find()).as("%s in %s", name, json).isTrue();
    return Long.parseLong(m.group(1));
  }

  /** Two ends on the ring that say only what they are told: {@code c} and {@code s}. */
  private List<Peer> quietPair() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    pair.get(1).ask("connect c " + pair.get(0).port("l"));
    pair.get(0).ask("accept l s");
    children.toTheRing(pair.get(1), "c", pair.get(0), "s");
    return pair;
  }

  private void showsWhichEndHasEnded(Peer server, Peer client) throws Exception {
    awaitStates(client, "ESTAB", server, "ESTAB");
    client.ask("shutdown c");
    assertThat(server.ask("readToEnd s 1")).isEqualTo("eof 0");
    awaitStates(client, "FIN-WAIT", server, "CLOSE-WAIT");
    server.ask("shutdown s");
    assertThat(client.ask("readToEnd c 1")).isEqualTo("eof 0");
    awaitStates(client, "LAST-ACK", server, "LAST-ACK");
  }

  /** As people read them, and as programs do. */
  private void awaitStates(Peer client, String its, Peer server, String theirs) {
    Children.soon()
        .untilAsserted(() -> {
          assertThat(ps())
              .containsPattern("(?m)^" + client.pid() + " .* client .* " + its + " ")
              .containsPattern("(?m)^" + server.pid() + " .* server .* " + theirs + " ");
          assertThat(ps("--json"))
              .contains("\"state\":\"" + its + "\"", "\"state\":\"" + theirs + "\"");
        });
  }

  @Test
  void aProcessThatIsNotRecordedLoadsNoEvents() throws Exception {
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
      assertThat((String) beans.invoke(name, "sessionsAsJson", new Object[0], new String[0]))
          .contains("\"sessionsOpen\":1", "\"transport\":\"shm\"", "\"streams\":2");
    }
  }
}
