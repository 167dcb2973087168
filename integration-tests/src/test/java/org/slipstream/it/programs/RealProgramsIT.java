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
    Program server = launches.start(launches.agent(), program, "server");
    Program client = launches.start(launches.agent(), program, "client", server.await("ready"));

    client.await("done");

    List<StreamLine> streams = launches.ps();
    for (Program end : List.of(server, client)) {
      List<StreamLine> its = streams.stream().filter(s -> s.pid() == end.process().pid()).toList();
      assertThat(its).as("streams of one end").isNotEmpty();
      assertThat(its.stream().mapToLong(StreamLine::ringIn).sum())
          .as("bytes received by the ring: %s", its)
          .isGreaterThan(MUCH);
      assertThat(its.stream().mapToLong(StreamLine::ringOut).sum())
          .as("bytes sent by the ring: %s", its)
          .isGreaterThan(1000);
    }
    client.end();
    server.end();
    assertThat(client.said() + server.said()).doesNotContain("Slipstream");
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
