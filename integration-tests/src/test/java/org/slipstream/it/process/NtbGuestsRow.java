package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;

/** An unmodified program here, another on another machine, and a BAR that both see. */
public class NtbGuestsRow {
  private static final String SERVER = "10.78.0.8";
  private static final int PORT = 7000;
  private static final Duration PATIENCE = Patience.DEADLINE;

  @RegisterExtension final Children children = new Children();

  private Peer client;

  /** What both machines set. */
  private static List<String> flags(int node) {
    return List.of(
        "--enable-native-access=ALL-UNNAMED",
        "-Dslipstream.transports=ntb,shm",
        "-Dslipstream.ntb.hosts=/tmp/hosts",
        "-Dslipstream.ntb.key=trusted",
        "-Dslipstream.ntb.node=" + node,
        "-Dslipstream.ring.size=64k");
  }

  /** The command of the other machine. */
  public static List<String> server() throws Exception {
    Path run = Path.of("/dev/shm/server");
    List<String> command = new ArrayList<>(List.of(Children.JAVA));
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
    command.addAll(List.of("-javaagent:" + Children.JAR, "-Dslipstream.dir=" + run));
    command.addAll(flags(8));
    command.addAll(List.of("-cp", Children.classes(), PeerProgram.class.getName()));
    return command;
  }

  @BeforeEach
  void connected() throws Exception {
    client = children.accelerated(flags(4).toArray(new String[0]));
    Children.soon().untilAsserted(() -> client.ask("connect c " + PORT + " " + SERVER));
    Children.soon()
        .untilAsserted(() -> {
          client.ask("exchange c 5 2000 1");
          assertThat(children.streams()).hasSize(1).allMatch(s -> s.carrier().equals("ntb"));
        });
  }

  @Test
  void aPingPongTravelsThroughTheWindow() throws Exception {
    StreamLine before = children.stream(client);
    client.ask("exchange c 500 64 1", PATIENCE);
    StreamLine after = children.stream(client);
    assertThat(after.ringBytes() - before.ringBytes()).isPositive();
    assertThat(after.plainBytes()).isEqualTo(before.plainBytes());
    assertThat(after.carrier()).isEqualTo("ntb");
  }

  @Test
  void everyByteOfASoakIsTheOneThatWasSent() throws Exception {
    StreamLine before = children.stream(client);
    for (int seed = 0; seed < 5; seed++) {
      client.ask("exchange c 100 30000 " + seed, PATIENCE);
    }
    StreamLine after = children.stream(client);
    assertThat(after.ringBytes() - before.ringBytes())
        .as("bytes over the ring")
        .isGreaterThan(after.plainBytes() - before.plainBytes());
    client.ask("shutdown c");
    assertThat(client.ask("readToEnd c 1")).isEqualTo("eof 0");
  }
}
