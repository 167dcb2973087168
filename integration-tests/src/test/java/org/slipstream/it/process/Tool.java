package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.slipstream.testkit.Patience;

/** The command line of the product: {@code java -jar slipstream.jar}. */
final class Tool {
  private Tool() {}

  /**
   * How a tool ended.
   *
   * @param code its exit code
   * @param text what it printed, errors as well
   */
  record Said(int code, String text) {}

  /** Runs a tool to its end; the flags are those of its JVM. */
  static Said run(List<String> flags, String... arguments) throws Exception {
    return runBehind(List.of(), flags, arguments);
  }

  /** As {@link #run}, with another command before it. */
  static Said runBehind(List<String> prefix, List<String> flags, String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>(prefix);
    command.add(Children.JAVA);
    command.addAll(flags);
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-jar", Children.JAR.toString()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
    return new Said(process.exitValue(), text);
  }
}
