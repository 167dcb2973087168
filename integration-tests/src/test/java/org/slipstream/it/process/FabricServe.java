package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slipstream.testkit.Patience;

/** A running {@code slipstream fabric serve} and what it says. */
final class FabricServe implements AutoCloseable {
  private static final String LISTENS = "fabric: listens at ";

  private final Process process;
  private final List<String> said = new CopyOnWriteArrayList<>();

  private FabricServe(Process process) {
    this.process = process;
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            lines.lines().forEach(said::add);
          } catch (IOException | UncheckedIOException e) {
            said.add("(its output broke: " + e.getMessage() + ")");
          }
        });
  }

  /** Starts one at a port of the kernel's choice, and waits until it listens. */
  static FabricServe start(Path directory, String... options) throws Exception {
    List<String> all = new ArrayList<>(List.of("--set", "dir=" + directory));
    all.addAll(List.of(options));
    return startBehind(List.of(), all);
  }

  /** As {@link #start}, with another command before it. */
  static FabricServe startBehind(List<String> prefix, List<String> options) throws Exception {
    List<String> command = new ArrayList<>(prefix);
    command.add(Children.JAVA);
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
    command.addAll(List.of("-jar", Children.JAR.toString(), "fabric", "serve", "--port", "0"));
    command.addAll(options);
    FabricServe server =
        new FabricServe(new ProcessBuilder(command).redirectErrorStream(true).start());
    Children.soon()
        .untilAsserted(() -> assertThat(server.said).anyMatch(line -> line.startsWith(LISTENS)));
    return server;
  }

  int port() {
    String line = said.stream().filter(l -> l.startsWith(LISTENS)).findFirst().orElseThrow();
    return Integer.parseInt(line.replaceFirst(".*, port (\\d+), until.*", "$1"));
  }

  List<String> said() {
    return said;
  }

  void kill() {
    process.destroyForcibly();
  }

  int awaitExit() throws InterruptedException {
    assertThat(process.waitFor(Patience.DEADLINE)).as("the server ends; %s", said).isTrue();
    return process.exitValue();
  }

  @Override
  public void close() throws InterruptedException {
    kill();
    awaitExit();
  }
}
