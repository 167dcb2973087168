package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.core.status.BuildInfo;
import org.slipstream.it.process.Tool.Said;
import org.slipstream.testkit.Patience;

/** What the flight recorder is told, and what the JDK's own {@code jfr} makes of it. */
class RecordingIT {
  /** More than a ring and the buffers of the kernel hold: its writer has to wait. */
  private static final int PLENTY = 32 << 20;

  /** The events, and what people read in the place of their names. */
  private static final Map<String, String> LABELS =
      Map.of(
          "Build", "Build",
          "StreamOpened", "Stream Opened",
          "StreamCarrier", "Stream Carrier",
          "StreamClosed", "Stream Closed",
          "Failover", "Failover",
          "OfferRefused", "Offer Refused",
          "Session", "Session",
          "SlowWait", "Slow Wait");

  @RegisterExtension final Children children = new Children();

  private Peer recorded(Path file) throws Exception {
    return children.accelerated("-XX:StartFlightRecording:filename=" + file, "-Xlog:jfr*=off");
  }

  @Test
  void aRecordingTellsTheLivesOfStreams() throws Exception {
    Path file = children.home().resolve("recording.jfr");
    Peer server = children.accelerated();
    final int port = server.echo("l");
    final String serversName = nameOfListener(port);
    Peer client = recorded(file);
    client.ask("connect c " + port);
    children.upgrade(client, "c");
    client.ask("close c");
    client.ask("connect d " + port);
    children.upgrade(client, "d");
    server.destroy(); // SIGKILL: the session is lost while the stream lives
    server.awaitExit();
    Children.soon().untilAsserted(() -> assertThat(events(client, file, "Failover")).isNotEmpty());

    assertThat(events(client, file, "Failover"))
        .hasSize(1)
        .allSatisfy(e -> {
          assertThat(e.getString("carrier")).isEqualTo("shm");
          assertThat(e.getString("peer")).as("the one that was killed").startsWith(serversName);
          assertThat(e.getString("remote")).isEqualTo("/127.0.0.1:" + port);
          assertThat(e.getString("role")).isEqualTo("client");
        });
    assertThat(events(client, file, "StreamOpened"))
        .hasSize(2)
        .allMatch(e ->
            e.getString("reason").equals("NOT_YET_ELIGIBLE") && !e.getString("local").isEmpty());
    assertThat(events(client, file, "StreamCarrier"))
        .anyMatch(e -> e.getString("carrier").equals("shm") && e.getString("reason").equals("NONE"))
        .anyMatch(e -> e.getString("reason").equals("OFFERED"));
    List<RecordedEvent> closed = events(client, file, "StreamClosed");
    assertThat(closed).hasSize(1).allMatch(e -> e.getLong("ringBytesOut") > 1000);
    assertThat(closed.getFirst().getEventType().getFields())
        .extracting(ValueDescriptor::getLabel)
        .contains("Local Address", "Ring Bytes Out", "TCP Bytes In", "Wake-ups", "Reason");
  }

  /** What a process is called in the runtime directory: the first digits of its random id. */
  private String nameOfListener(int port) throws Exception {
    List<String> marks =
        Census.files(children.directory()).stream()
            .filter(p -> p.getParent().endsWith("port-" + port))
            .map(p -> p.getFileName().toString())
            .toList();
    assertThat(marks).hasSize(1);
    return marks.getFirst().replaceFirst("-.*", "");
  }

  @Test
  void theToolOfTheJdkShowsAllEventsInReadableWords() throws Exception {
    Path file = children.home().resolve("recording.jfr");
    Peer server = children.accelerated();
    Peer poor = children.accelerated("-Dslipstream.memory.limit=0");
    Peer client = recorded(file);
    client.ask("connect c " + server.port("l"));
    server.ask("accept l s");
    upgradeTogether(client, server);
    waitForLongWhileReading(client, server, file);
    waitForLongWhileWriting(client, server, file);
    beRefused(client, poor.echo("l"), file);
    client.ask("close d");
    server.destroy();
    server.awaitExit();
    Children.soon()
        .untilAsserted(() ->
            assertThat(events(client, file, ""))
                .extracting(e -> e.getEventType().getName().replace("org.slipstream.", ""))
                .containsAll(LABELS.keySet()));

    List<RecordedEvent> all = events(client, file, "");
    assertThat(all)
        .allSatisfy(e -> {
          String name = e.getEventType().getName().replace("org.slipstream.", "");
          assertThat(e.getEventType().getLabel()).isEqualTo(LABELS.get(name));
          assertThat(e.getEventType().getDescription()).as(name).hasSizeGreaterThan(20);
          assertThat(e.getEventType().getCategoryNames()).as(name).containsExactly("Slipstream");
        });
    assertThatTheToolShows(file, all);
    assertThatTheReportAddsUp(file, all);
  }

  private static void assertThatTheReportAddsUp(Path file, List<RecordedEvent> all)
      throws Exception {
    Said report = Tool.run(List.of(), "report", file.toString());
    assertThat(report.code()).as(report.text()).isZero();
    long lost = all.stream().filter(e -> e.getEventType().getName().endsWith("Failover")).count();
    assertThat(report.text())
        .contains("Recorded with Slipstream " + BuildInfo.current() + ".")
        .containsPattern("(?m)^  shm +1 ")
        .containsPattern("(?m)^  tcp +1 ")
        .containsPattern("(?m)^ +1  NO_MEMORY: no memory for a ring")
        .containsPattern("(?m)^ +" + lost + "  shm$")
        .containsPattern("(?m)^ +[1-9][0-9]*  read on (shm|tcp), [0-9]+ ms at most$");
    Said missing = Tool.run(List.of(), "report", file + ".missing");
    assertThat(missing.code()).isEqualTo(1);
    assertThat(missing.text().lines())
        .containsExactly(
            "slipstream: SL040: report: " + file + ".missing can not be read; is it there?");
    Path nonsense = Files.writeString(file.resolveSibling("nonsense.jfr"), "no recording");
    Said wrong = Tool.run(List.of(), "report", nonsense.toString());
    assertThat(wrong.code()).as(wrong.text()).isEqualTo(1);
    assertThat(wrong.text().lines()).hasSize(1);
  }

  /** Until the reader was there early enough: it has a thread that must start first. */
  private void waitForLongWhileReading(Peer client, Peer server, Path file) {
    Children.soon()
        .until(() -> {
          CompletableFuture<String> reading = client.begin("read c 1000 7");
          // Not to wait for anything: the time is what the event is about.
          Thread.sleep(60);
          server.ask("write s 1000 7");
          client.ok(reading, "read");
          return isSlow(client, file, "read");
        });
  }

  private void waitForLongWhileWriting(Peer client, Peer server, Path file) {
    Children.soon()
        .until(() -> {
          CompletableFuture<String> writing = client.begin("write c " + PLENTY + " 7");
          Thread.sleep(60);
          server.ask("read s " + PLENTY + " 7");
          client.ok(writing, "write");
          return isSlow(client, file, "write");
        });
  }

  private static boolean isSlow(Peer client, Path file, String operation) throws Exception {
    List<RecordedEvent> waits = events(client, file, "SlowWait");
    assertThat(waits).allMatch(e -> e.getDuration("waited").toMillis() >= 20);
    return waits.stream().anyMatch(e -> e.getString("operation").equals(operation));
  }

  private static void beRefused(Peer client, int port, Path file) throws Exception {
    client.ask("connect d " + port);
    client.ask("exchange d 20 2000 1");
    Children.soon()
        .untilAsserted(() ->
            assertThat(events(client, file, "OfferRefused"))
                .isNotEmpty()
                .allMatch(e -> e.getString("reason").equals("NO_MEMORY"))
                .allMatch(e -> e.getString("advice").contains("slipstream.memory.limit")));
  }

  private void upgradeTogether(Peer client, Peer server) {
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

  // -- reading ---------------------------------------------------------------------------------

  /** What {@code jfr} prints: a count for each type, and each event with its values. */
  private static void assertThatTheToolShows(Path file, List<RecordedEvent> all) throws Exception {
    String summary = tool("jfr", "summary", file.toString());
    String events = tool("jfr", "print", "--categories", "Slipstream", file.toString());
    for (String name : LABELS.keySet()) {
      String full = "org.slipstream." + name;
      long count = all.stream().filter(e -> e.getEventType().getName().equals(full)).count();
      assertThat(summary).containsPattern("(?m)^ *" + full + " +" + count + " ");
      assertThat(events.lines().filter((full + " {")::equals)).as(name).hasSize((int) count);
      assertThat(tool("jfr", "view", full, file.toString()))
          .as("as a table")
          .contains(LABELS.get(name));
    }
    assertThat(events)
        .containsPattern("carrier = \"shm\"")
        .containsPattern("local = \"/127\\.0\\.0\\.1:[0-9]+\"")
        .containsPattern("advice = \"no memory for a ring")
        .containsPattern("operation = \"write\"")
        .containsPattern("waited = [0-9.]+ m?s")
        .containsPattern("ringBytesOut = [0-9.]+ (bytes|[kM]B)")
        .containsPattern("plainBytesIn = [0-9.]+ (bytes|[kM]B)");
    assertThat(tool("jfr", "metadata", "--categories", "Slipstream", file.toString()))
        .contains("@Label(\"Ring Bytes Out\")", "@Label(\"Wake-ups\")")
        .contains("@Description(\"why the stream is plain, or NONE\")");
  }

  /** Those of one type, or all of ours. */
  private static List<RecordedEvent> events(Peer peer, Path file, String name) throws Exception {
    tool("jcmd", Long.toString(peer.pid()), "JFR.dump", "name=1", "filename=" + file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(e -> e.getEventType().getName().startsWith("org.slipstream." + name))
        .toList();
  }

  /** Runs a tool of the JDK, which must succeed. */
  private static String tool(String... command) throws Exception {
    List<String> words = new ArrayList<>(List.of(command));
    words.set(0, Path.of(System.getProperty("java.home"), "bin", command[0]).toString());
    Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(Patience.DEADLINE)).as(said).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    return said;
  }
}
