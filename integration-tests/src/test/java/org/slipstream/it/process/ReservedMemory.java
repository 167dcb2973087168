package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;

/** Of the tests of memory servers: one process that reserves from them, and another one. */
abstract class ReservedMemory {
  static final int CHUNK = 65536;

  @RegisterExtension final Children children = new Children();

  Peer holder;
  Peer other;

  /** What a client has on its class path beside the tests and the product. */
  String libraries() {
    return "";
  }

  Peer launch(String... flags) throws Exception {
    List<String> command = new ArrayList<>(List.of(Children.JAVA, "-XX:+UseSerialGC"));
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx128m"));
    command.addAll(List.of(flags));
    command.addAll(List.of("-cp", Children.classes() + ":" + Children.JAR + libraries()));
    command.addAll(List.of(MemoryProgram.class.getName(), children.directory().toString()));
    return children.launch(command);
  }

  static String answer(Peer from, String command) throws Exception {
    return from.result(from.begin(command), Patience.DEADLINE, command);
  }

  static void awaitStatus(Peer peer, String key, String status) {
    Children.soon().until(() -> peer.ask("statusOfReserved " + key).equals(status));
  }

  /** Six of eight chunks, all of them written, and mapped by the other process. */
  void reserveAndMap() throws Exception {
    holder.ask("reserve r name " + 6L * CHUNK);
    assertThat(holder.ask("fill r 1")).isEqualTo("OK OK");
    other.ask("mapReserved m name");
    assertThat(other.ask("sum m")).isEqualTo("" + 6L * CHUNK / 8);
  }

  /** What the dead have held is lent anew, and has nothing of theirs. */
  void assertAllIsLentAnewAndZero(Peer to) throws Exception {
    Children.soon().until(() -> answer(to, "reserve again name " + 8L * CHUNK).equals("ok"));
    assertThat(to.ask("sum again")).isEqualTo("0");
    to.ask("release again");
  }
}
