package org.slipstream.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.it.programs.Launches.Program;

/**
 * A JVM that says it is on another system, or on a processor that is not known: the agent stands
 * aside in one line, and leaves nothing of itself in the program.
 */
class OtherPlatformIT {
  @RegisterExtension final Launches launches = new Launches();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-Dos.name=Mac OS X   | Slipstream needs Linux; this is Mac OS X",
        "-Dos.name=Windows 11 | Slipstream needs Linux; this is Windows 11",
        "-Dos.arch=s390x      | Slipstream needs x86-64, AArch64, RISC-V 64, LoongArch64 or PowerPC 64 LE; this is s390x",
      })
  void theProgramRunsOnTcpAndOneLineSaysWhy(String flag, String sentence) throws Exception {
    List<String> flags = new ArrayList<>(launches.agent());
    flags.add(flag);
    Program server = launches.start(flags, SocketProgram.class, "server");
    Program client = launches.start(flags, SocketProgram.class, "client", server.await("ready"));
    client.await("done");
    assertThat(launches.directory()).doesNotExist();
    client.end();
    server.end();
    for (Program end : List.of(client, server)) {
      assertThat(end.said().lines())
          .containsExactly("slipstream: SL003: " + sentence + ": connections stay on TCP");
    }
  }
}
