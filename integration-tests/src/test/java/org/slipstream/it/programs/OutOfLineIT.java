package org.slipstream.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.programs.Launches.Program;
import org.slipstream.testkit.Patience;

/** The JVM's compilers call, and do not copy, the methods that the build has marked for that. */
class OutOfLineIT {
  @RegisterExtension final Launches launches = new Launches();

  @Test
  void compilersDoNotCopyTheOperationsOfAStreamIntoTheirCallers() throws Exception {
    Path log = launches.home().resolve("inlining.log");
    List<String> flags = new ArrayList<>(launches.agent());
    flags.addAll(
        List.of(
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:+PrintInlining",
            "-XX:+LogVMOutput",
            "-XX:-DisplayVMOutput",
            "-XX:LogFile=" + log));
    Program server = launches.start(launches.agent(), SocketProgram.class, "server");
    Program client = launches.start(flags, SocketProgram.class, "client", server.await("ready"));
    client.await("done");
    Patience.await()
        .untilAsserted(() -> {
          List<String> calls =
              Files.readString(log)
                  .lines()
                  .filter(l -> l.contains("org.slipstream.core.stream.Stream::"))
                  .filter(l -> l.contains("::read (") || l.contains("::write ("))
                  .toList();
          assertThat(calls)
              .hasSizeGreaterThanOrEqualTo(2)
              .allMatch(l -> l.contains("by annotation"));
        });
    client.end();
  }
}
