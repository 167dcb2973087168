package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;

/** The counters of a process: the same for each way to ask, and never lower. */
class CountersIT {
  /** What may fall, because it says how much there is now. */
  private static final List<String> GAUGES =
      List.of("pid", "streamsOpen", "streamsOnLink", "sessionsOpen", "pinnedBytes", "queueUsed");

  /** Attributes of the bean, and the meters of Micrometer. */
  private static final Map<String, String> METERS =
      Map.ofEntries(
          Map.entry("StreamsOpened", "slipstream.streams.opened"),
          Map.entry("StreamsOpen", "slipstream.streams.open"),
          Map.entry("StreamsOnLink", "slipstream.streams.linked"),
          Map.entry("StreamsJoined", "slipstream.links.joined"),
          Map.entry("RingBytesOut", "slipstream.bytes,carrier=link,direction=out"),
          Map.entry("RingBytesIn", "slipstream.bytes,carrier=link,direction=in"),
          Map.entry("PlainBytesOut", "slipstream.bytes,carrier=tcp,direction=out"),
          Map.entry("PlainBytesIn", "slipstream.bytes,carrier=tcp,direction=in"),
          Map.entry("MessagesOut", "slipstream.messages,direction=out"),
          Map.entry("MessagesIn", "slipstream.messages,direction=in"),
          Map.entry("Spins", "slipstream.waits,ended=spin"),
          Map.entry("Misses", "slipstream.spins.missed"),
          Map.entry("WakeUps", "slipstream.waits,ended=wakeup"),
          Map.entry("Failovers", "slipstream.failovers"),
          Map.entry("Returns", "slipstream.returns"),
          Map.entry("SessionsOpened", "slipstream.sessions.opened"),
          Map.entry("SessionsOpen", "slipstream.sessions.open"),
          Map.entry("SessionsEnded", "slipstream.sessions.ended"),
          Map.entry("PinnedBytes", "slipstream.sessions.pinned"),
          Map.entry("QueueUsed", "slipstream.sessions.queued"),
          Map.entry("QueueFull", "slipstream.sessions.queue.full"),
          Map.entry("Completions", "slipstream.sessions.completions"),
          Map.entry("OffersRefused", "slipstream.offers.refused"),
          Map.entry("SlowWaits", "slipstream.waits.slow"));

  @RegisterExtension final Children children = new Children();

  @Test
  void totalsNeverGoBackWhenStreamsAreClosed() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    int port = server.echo("l");
    client.ask("connect first " + port);
    children.upgrade(client, "first");
    Map<String, Long> last = children.totals(client);
    Map<String, Long> lastOfServer = children.totals(server);
    assertThat(last.get("ringBytesOut")).isPositive();
    for (int round = 0; round < 3; round++) {
      CompletableFuture<String> working = client.begin("cycles " + port + " 300");
      do {
        last = assertNotBack(last, children.totals(client));
        lastOfServer = assertNotBack(lastOfServer, children.totals(server));
      } while (!working.isDone());
      client.ok(working, "cycles");
      client.ask("connect c " + port);
      children.upgrade(client, "c");
      client.ask("exchange c 50 20000 1");
      client.ask("close c");
    }
    client.ask("close first");
    Children.soon().until(() -> children.streams().isEmpty());
    Map<String, Long> after = last;
    Children.soon()
        .untilAsserted(() -> {
          Map<String, Long> all = assertNotBack(after, children.totals(client));
          assertThat(all.get("streamsOpen")).isZero();
          assertThat(all.get("streamsOpened")).isEqualTo(1 + 3 * (300 + 1));
        });
    assertThat(children.totals(client).get("ringBytesOut"))
        .as("3 exchanges")
        .isGreaterThan(3 * 50 * 5000);
  }

  private static Map<String, Long> assertNotBack(Map<String, Long> then, Map<String, Long> now) {
    assertThat(then).hasSizeGreaterThan(10);
    then.forEach((name, value) -> {
      if (!GAUGES.contains(name)) {
        assertThat(now.get(name)).as(name).isGreaterThanOrEqualTo(value);
      }
    });
    return now;
  }

  /** A child with Micrometer beside it. */
  private Peer metered() throws Exception {
    List<String> command = new ArrayList<>(List.of(Children.JAVA, "-XX:+UseSerialGC", "-Xmx256m"));
    command.add("-javaagent:" + Children.JAR);
    command.add("-Dslipstream.dir=" + children.directory());
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(PeerProgram.class.getName());
    return children.launch(command).awaitReady();
  }

  @Test
  void theBeanAndMicrometerSayTheSame() throws Exception {
    Peer server = children.accelerated();
    Peer client = metered();
    assertThat(client.result(client.begin("bean"), Patience.DEADLINE, "bean"))
        .as("there is an MBean server now, but no stream had a link yet")
        .contains("InstanceNotFoundException");
    int port = server.echo("l");
    client.ask("connect c " + port);
    children.upgrade(client, "c");
    client.ask("exchange c 100 20000 1");
    client.ask("cycles " + port + " 20");
    Children.soon()
        .untilAsserted(() -> {
          Map<String, Long> bean = numbers(client.ask("bean"));
          Map<String, Long> meters = numbers(client.ask("meters"));
          assertThat(bean).containsOnlyKeys(METERS.keySet());
          assertThat(meters).containsOnlyKeys(METERS.values());
          assertThat(bean.get("RingBytesOut")).isGreaterThan(100 * 5000);
          assertThat(bean.get("StreamsOpened")).isGreaterThan(20);
          METERS.forEach((attribute, meter) ->
              assertThat(meters.get(meter)).as(meter).isEqualTo(bean.get(attribute)));
        });
  }

  private static Map<String, Long> numbers(String answer) {
    Map<String, Long> numbers = new HashMap<>();
    for (String word : answer.split(";", -1)) {
      int blank = word.lastIndexOf(' ');
      numbers.put(word.substring(0, blank), Long.parseLong(word.substring(blank + 1)));
    }
    return numbers;
  }
}
