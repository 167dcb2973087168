package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.Patience;

/**
 * A process that may have hardly more threads than it has, as in a container with a limit on
 * processes: its sockets work, on TCP if need be.
 */
class FewThreadsIT {
  /** Of no account of the machine, so that no process but ours counts. */
  private static final String USER = "65472";

  private static final int MOST = 60;

  /** From the least with which the program runs without Slipstream to plenty. */
  private static final int MORE = 7;

  @RegisterExtension final Children children = new Children();

  @TempDir private Path directory;

  private record Result(int exit, String said) {
    boolean isDone() {
      return exit == 0 && said.contains("done");
    }
  }

  private static Result run(PublicCopy copy, int threads, List<String> command) throws Exception {
    List<String> whole =
        new ArrayList<>(List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--clear-groups"));
    whole.addAll(List.of("prlimit", "--nproc=" + threads));
    whole.addAll(copy.command(command));
    try {
      Process process = new ProcessBuilder(whole).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
      return new Result(process.exitValue(), said);
    } catch (IOException e) {
      require(false, "setpriv and prlimit: " + e.getMessage());
      throw e;
    }
  }

  /** The command line of the program in a JVM that starts few threads by itself. */
  private static List<String> program(List<String> peer) {
    List<String> command = new ArrayList<>(peer);
    command.addAll(
        1,
        List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:CICompilerCount=1",
            "-XX:-UseDynamicNumberOfCompilerThreads"));
    command.set(command.size() - 1, FewThreadsProgram.class.getName());
    return command;
  }

  /** A runtime directory of the user: its processes may have no thread left to remove it. */
  private String own() {
    try {
      Path parent = Files.createDirectory(directory.resolve("own"));
      Files.setAttribute(parent, "unix:uid", Integer.parseInt(USER));
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
      return parent.resolve("run").toString();
    } catch (IOException e) {
      require(false, "the right to make files of another user: " + e.getMessage());
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whatRunsWithoutSlipstreamRunsWithIt() throws Exception {
    List<String> plain = program(children.plainCommand(List.of()));
    List<String> accelerated = program(children.acceleratedCommand(List.of()));
    accelerated.replaceAll(
        flag -> flag.startsWith("-Dslipstream.dir=") ? flag.replaceAll("=.*", "=" + own()) : flag);
    try (PublicCopy copy = new PublicCopy()) {
      Result unlimited = run(copy, 1_000, plain);
      require(unlimited.isDone(), "a JDK that another user may run: " + unlimited.said);
      int least = 8;
      while (least < MOST && !run(copy, least, plain).isDone()) {
        least++;
      }
      require(least < MOST, "a limit on the threads of a user, which is kept");
      for (int threads = least; threads < least + MORE; threads++) {
        Result result = run(copy, threads, accelerated);
        assertThat(result.isDone())
            .as("with %d threads, and %d without Slipstream: %s", threads, least, result.said)
            .isTrue();
      }
    }
  }
}
