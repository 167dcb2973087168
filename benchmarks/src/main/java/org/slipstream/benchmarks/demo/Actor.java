package org.slipstream.benchmarks.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A process of the demo. What it prints comes line by line; what it complains of goes to a log. */
final class Actor {
  private final Process process;

  private Actor(Process process) {
    this.process = process;
  }

  /**
   * Starts one.
   *
   * @param command and its arguments
   * @param log standard error is appended to it
   * @param lines takes each line of standard output, on a thread of this process
   * @throws IOException it can not be started
   */
  static Actor start(List<String> command, Path log, Consumer<String> lines) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    Thread.ofPlatform().daemon().name("demo-output").start(() -> read(process, lines));
    return new Actor(process);
  }

  private static void read(Process process, Consumer<String> lines) {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        lines.accept(line);
      }
    } catch (IOException e) {
      return; // it was killed
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** The code with which it ended, or that it runs. */
  String fate() {
    return process.isAlive() ? "runs" : "ended with " + process.exitValue();
  }

  /** SIGKILL: no shutdown hook, no close. Returns when it is gone. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** SIGKILL, without waiting; for the end of the demo. */
  void discard() {
    process.destroyForcibly();
  }

  /** Ends its standard input, which it takes as its end. */
  void endInput() throws IOException {
    process.getOutputStream().close();
  }

  boolean awaitExit(long seconds) throws InterruptedException {
    return process.waitFor(seconds, TimeUnit.SECONDS);
  }
}
