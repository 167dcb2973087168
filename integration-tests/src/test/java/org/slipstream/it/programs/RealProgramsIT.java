package org.slipstream.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.it.process.StreamLine;
import org.slipstream.it.programs.Launches.Program;

/** Unmodified programs, two processes each: on the ring with the agent, as ever without. */
class RealProgramsIT {
  /** Less than any of them moves each way after its first exchanges. */
  private static final long MUCH = 10_000;

  private static final int ATTEMPTS = 5;

  @RegisterExtension final Launches launches = new Launches();

  @ParameterizedTest
  @ValueSource(
      classes = {
        HttpServerProgram.class,
        RmiProgram.class,
        H2Program.class,
        JettyProgram.class,
        TomcatProgram.class,
        SshProgram.class
      })
  void aProgramRunsOnTheRing(Class<?> program) throws Exception {
    // How much of a program is over before its streams are on the ring depends on the machine.
    List<StreamLine> streams = List.of();
    boolean carried = false;
    for (int attempt = 0; attempt < ATTEMPTS && !carried; attempt++) {
      Program server = launches.start(launches.agent(), program, "server");
      Program client = launches.start(launches.agent(), program, "client", server.await("ready"));

      client.await("done");

      streams = launches.ps();
      carried = hasUsedTheRing(server, streams) && hasUsedTheRing(client, streams);
      client.end();
      server.end();
      assertThat(client.said() + server.said()).doesNotContain("Slipstream", "slipstream: ");
    }
    assertThat(carried).as("both ends moved much over the ring: %s", streams).isTrue();
  }

  private static boolean hasUsedTheRing(Program end, List<StreamLine> streams) {
    List<StreamLine> its = streams.stream().filter(s -> s.pid() == end.process().pid()).toList();
    return its.stream().mapToLong(StreamLine::ringIn).sum() > MUCH
        && its.stream().mapToLong(StreamLine::ringOut).sum() > 1000;
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        HttpServerProgram.class,
        RmiProgram.class,
        H2Program.class,
        JettyProgram.class,
        TomcatProgram.class,
        SshProgram.class
      })
  void theSameProgramRunsWithoutIt(Class<?> program) throws Exception {
    Program server = launches.start(List.of(), program, "server");
    Program client = launches.start(List.of(), program, "client", server.await("ready"));

    client.await("done");

    assertThat(launches.directory()).doesNotExist();
    client.end();
    server.end();
  }
}
