package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import jdk.jfr.EventType;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
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
  void aRecordingTellsTheLivesOfStreamsInReadableWords() throws Exception {
    Path file = children.home().resolve("recording.jfr");
    Peer server = children.accelerated();
    Peer client =
        children.accelerated("-XX:StartFlightRecording:filename=" + file, "-Xlog:jfr*=off");
    int port = server.port("l");
    server.ask("serve l echo");
    client.ask("connect c " + port);
    children.upgrade(client, "c");
    client.ask("close c");
    client.ask("connect d " + port);
    children.upgrade(client, "d");
    server.destroy(); // SIGKILL: the session is lost while the stream lives
    server.awaitExit();
    Children.soon().untilAsserted(() -> assertThat(events(client, file, "Failover")).isNotEmpty());

    assertThat(events(client, file, "StreamOpened"))
        .hasSize(2)
        .allMatch(e -> e.getString("reason").equals("YOUNG") && !e.getString("local").isEmpty());
    assertThat(events(client, file, "StreamCarrier"))
        .anyMatch(e -> e.getString("carrier").equals("shm") && e.getString("reason").equals("NONE"))
        .anyMatch(e -> e.getString("reason").equals("OFFERED"));
    List<RecordedEvent> closed = events(client, file, "StreamClosed");
    assertThat(closed).hasSize(1).allMatch(e -> e.getLong("ringBytesOut") > 1000);
    EventType type = closed.getFirst().getEventType();
    assertThat(type.getLabel()).isEqualTo("Stream Closed");
    assertThat(type.getCategoryNames()).containsExactly("Slipstream");
    assertThat(type.getFields().stream().map(ValueDescriptor::getLabel))
        .contains("Local Address", "Ring Bytes Out", "TCP Bytes In", "Wake-ups", "Reason");
  }

  @Test
  void aRecordingTellsOfRefusalsAndOfLongWaits() throws Exception {
    Path file = children.home().resolve("recording.jfr");
    Peer server = children.accelerated();
    Peer poor = children.accelerated("-Dslipstream.memory.limit=0");
    Peer client =
        children.accelerated("-XX:StartFlightRecording:filename=" + file, "-Xlog:jfr*=off");
    client.ask("connect c " + server.port("l"));
    server.ask("accept l s");
    upgradeTogether(client, server);
    // Until the reader was there early enough: it has a thread that must start first.
    Children.soon()
        .until(() -> {
          CompletableFuture<String> reading = client.begin("read c 1000 7");
          // Not to wait for anything: the time is what the event is about.
          Thread.sleep(60);
          server.ask("write s 1000 7");
          client.ok(reading, "read");
          return events(client, file, "SlowWait").stream()
              .anyMatch(e -> e.getString("operation").equals("read"));
        });
    client.ask("connect d " + poor.echo("l"));
    client.ask("exchange d 20 2000 1");

    Children.soon()
        .untilAsserted(() ->
            assertThat(events(client, file, "OfferRefused"))
                .isNotEmpty()
                .allMatch(e -> e.getString("reason").equals("NO_MEMORY"))
                .allMatch(e -> e.getString("advice").contains("slipstream.memory.limit")));
    assertThat(events(client, file, "SlowWait"))
        .isNotEmpty()
        .allMatch(e -> e.getDuration("waited").toMillis() >= 20)
        .anyMatch(e -> e.getString("operation").equals("read"));
  }

  private void upgradeTogether(Peer client, Peer server) throws Exception {
    Children.soon()
        .until(() -> {
          CompletableFuture<String> there = server.begin("read s 1000 1");
          client.ask("write c 1000 1");
          server.ok(there, "read");
          CompletableFuture<String> here = client.begin("read c 1000 1");
          server.ask("write s 1000 1");
          client.ok(here, "read");
          List<StreamLine> all = children.streams();
          return all.size() >= 2 && all.stream().allMatch(StreamLine::onRing);
        });
  }

  private static List<RecordedEvent> events(Peer peer, Path file, String name) throws Exception {
    dump(peer, file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(e -> e.getEventType().getName().equals("org.slipstream." + name))
        .toList();
  }

  private static void dump(Peer peer, Path file) throws IOException, InterruptedException {
    Process jcmd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(peer.pid()),
                "JFR.dump",
                "name=1",
                "filename=" + file)
            .redirectErrorStream(true)
            .start();
    String said = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(jcmd.waitFor()).as(said).isZero();
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
