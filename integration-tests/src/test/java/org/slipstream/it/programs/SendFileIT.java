package org.slipstream.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.it.process.StreamLine;
import org.slipstream.it.programs.Launches.Program;
import org.slipstream.testkit.Patience;

/** What a server of files costs in system calls, with the agent in either process. */
class SendFileIT {
  private static final int LARGE = 4 << 20;
  private static final int SMALL = 32 << 10;
  private static final int TIMES = 64;

  @RegisterExtension final Launches launches = new Launches();

  /** A server and its client. */
  private record Talk(Program server, Program client) {
    /** Asks for pieces; answers how the server got them. */
    Cost ask(int piece, int times) throws Exception {
      client.tell(piece + " " + times);
      client.await("done");
      return Cost.parse(server.await("io"));
    }

    void end() throws Exception {
      client.end();
      server.end();
    }
  }

  /** System calls of the server's thread, and calls of {@code transferTo}. */
  private record Cost(long reads, long writes, long transfers) {
    static Cost parse(String line) {
      long[] n = Arrays.stream(line.split(" ", -1)).mapToLong(Long::parseLong).toArray();
      return new Cost(n[0], n[1], n[2]);
    }
  }

  private Talk talk(List<String> server, List<String> client) throws Exception {
    String file = launches.home().resolve("file").toString();
    Program s = launches.start(server, FileProgram.class, "server", file);
    Program c = launches.start(client, FileProgram.class, "client", s.await("ready"));
    c.await("done");
    return new Talk(s, c);
  }

  @Test
  void aPlainStreamCostsWhatTheJdkCosts() throws Exception {
    Talk stock = talk(List.of(), List.of());
    stock.ask(SMALL, TIMES); // loads the JDK's classes, which are in a file too
    Cost expected = stock.ask(LARGE, 4);
    stock.end();
    Talk ours = talk(launches.agent(), List.of());
    ours.ask(SMALL, TIMES);

    assertThat(expected).isEqualTo(new Cost(4, 4, 4)); // sendfile counts as both
    // The agent does it a moment after the first socket.
    Patience.await().untilAsserted(() -> assertThat(ours.ask(LARGE, 4)).isEqualTo(expected));
    ours.end();
  }

  @Test
  void aFileGoesIntoTheRingByOneReadForEachPiece() throws Exception {
    assertOneReadForEachPiece(launches.agent());
  }

  @Test
  void anotherAgentIsNotInTheWay() throws Exception {
    String other =
        Jars.write(
                launches.home().resolve("other.jar"),
                "",
                Map.of("Premain-Class", OtherAgent.class.getName()))
            .toString();
    List<String> both = new ArrayList<>(List.of("-javaagent:" + other));
    both.addAll(launches.agent());
    both.add("-javaagent:" + other);
    assertOneReadForEachPiece(both);
  }

  private void assertOneReadForEachPiece(List<String> flags) throws Exception {
    Talk talk = talk(flags, flags);
    // Until both are on the ring, and it has grown. Then only its end cuts a piece in two; the
    // JDK's own loop reads four times.
    Patience.await()
        .untilAsserted(() -> {
          long before = ringOut(talk.server());
          Cost cost = talk.ask(SMALL, TIMES);
          assertThat(ringOut(talk.server()) - before).isGreaterThanOrEqualTo(TIMES * (long) SMALL);
          assertThat(cost.transfers()).isEqualTo(TIMES);
          assertThat(cost.reads()).isBetween((long) TIMES, TIMES * 3L / 2);
        });
    talk.ask(LARGE, 4); // that the bytes are right is the client's to say
    talk.end();
  }

  private long ringOut(Program program) throws Exception {
    return launches.ps().stream()
        .filter(s -> s.pid() == program.process().pid())
        .mapToLong(StreamLine::ringOut)
        .sum();
  }

  /** Without the agent the JDK's files do not know our channels: 8 KiB at a time, as before. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void withThePropertyAloneTheBytesAreTheSame(boolean onTheModulePath) throws Exception {
    List<String> flags = new ArrayList<>();
    flags.add(
        "-Djava.nio.channels.spi.SelectorProvider="
            + "org.slipstream.provider.nio.SlipstreamSelectorProvider");
    flags.add("-Dslipstream.dir=" + launches.directory());
    String classPath = Launches.classPath();
    if (onTheModulePath) {
      flags.addAll(List.of("--module-path", "" + Launches.AGENT, "--add-modules", "slipstream"));
    } else {
      classPath += ":" + Launches.AGENT;
    }
    flags.addAll(List.of("--class-path", classPath, FileProgram.class.getName()));
    List<String> server = new ArrayList<>(flags);
    server.addAll(List.of("server", launches.home().resolve("file").toString()));
    Program s = launches.java(server);
    List<String> client = new ArrayList<>(flags);
    client.addAll(List.of("client", s.await("ready")));
    Program c = launches.java(client);
    c.await("done");
    Talk talk = new Talk(s, c);
    Patience.await()
        .untilAsserted(() -> {
          long before = ringOut(s);
          talk.ask(SMALL, TIMES);
          assertThat(ringOut(s) - before).isPositive();
        });
    talk.ask(LARGE, 4);
    talk.end();
    assertThat(s.said() + c.said()).isEmpty();
  }
}
