package org.slipstream.servers;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One process of a run; its output is in a file. */
public final class Jvm {
  private static final Pattern CPU = Pattern.compile("(?m)^CPU ([0-9.E-]+) ([0-9.E-]+)$");
  private static final Pattern TRACES = Pattern.compile("(?m)^TRACES (.*)$");
  private static final long POLL_MS = 20;

  private final String name;
  private final ProcessHandle handle;

  /** Of a process that the harness started; others are only counted. */
  private final @Nullable Process process;

  private final @Nullable Path output;

  private Jvm(String name, ProcessHandle handle, @Nullable Process process, @Nullable Path output) {
    this.name = name;
    this.handle = handle;
    this.process = process;
    this.output = output;
  }

  static Jvm start(String name, List<String> command, Path directory) throws IOException {
    Path output = directory.resolve(name + ".out");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    return new Jvm(name, process.toHandle(), process, output);
  }

  /** The processes that it has started; their output is elsewhere. */
  List<Jvm> children() {
    return handle.children().map(child -> new Jvm(name + "'s", child, null, null)).toList();
  }

  private Process process() {
    if (process == null) {
      throw new IllegalStateException(this + " was started by another process");
    }
    return process;
  }

  /**
   * Writes a line to its standard input, which ends when the harness ends.
   *
   * @param line without its end
   * @throws IOException if it is gone; with all that it said
   */
  void say(String line) throws IOException {
    try {
      OutputStream in = process().getOutputStream();
      in.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
      in.flush();
    } catch (IOException e) {
      throw new IOException(name + " does not listen: " + said(), e);
    }
  }

  /**
   * What it has said.
   *
   * @return standard output and standard error
   * @throws IOException if it can not be read
   */
  public String said() throws IOException {
    return output == null
        ? ""
        : new String(Files.readAllBytes(output), StandardCharsets.ISO_8859_1);
  }

  /**
   * Waits until it says something.
   *
   * @param expression a regular expression
   * @param seconds how long
   * @return the first match
   * @throws IOException if it ends before, or time runs out; with all that it said
   * @throws InterruptedException as it says
   */
  public Matcher await(String expression, int seconds) throws IOException, InterruptedException {
    Pattern pattern = Pattern.compile(expression, Pattern.MULTILINE);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (true) {
      boolean alive = handle.isAlive();
      Matcher matcher = pattern.matcher(said());
      if (matcher.find()) {
        return matcher;
      }
      if (!alive || System.nanoTime() - end > 0) {
        throw new IOException(
            name + (alive ? " does not say " : " ended without ") + expression + ": " + said());
      }
      Thread.sleep(POLL_MS);
    }
  }

  /**
   * Waits for its end, which has to be a good one.
   *
   * @param seconds how long
   * @return what it said
   * @throws IOException if it fails, or time runs out; with all that it said
   * @throws InterruptedException as it says
   */
  public String finish(int seconds) throws IOException, InterruptedException {
    if (!process().waitFor(seconds, TimeUnit.SECONDS)) {
      throw new IOException(name + " does not end: " + said());
    }
    if (process().exitValue() != 0) {
      throw new IOException(name + " ended with " + process().exitValue() + ": " + said());
    }
    return said();
  }

  /** Its processor time: now, or what a {@link Tool} said at its end. */
  Cpu cpu() throws IOException {
    if (handle.isAlive()) {
      return Cpu.of(Long.toString(pid()));
    }
    Matcher matcher = CPU.matcher(said());
    return matcher.find()
        ? new Cpu(Double.parseDouble(matcher.group(1)), Double.parseDouble(matcher.group(2)))
        : Cpu.ZERO;
  }

  long pid() {
    return handle.pid();
  }

  /** Its {@link Traces}: now, or what a {@link Tool} said at its end. */
  String traces() throws IOException {
    if (handle.isAlive()) {
      return Traces.of(Long.toString(pid())).toString();
    }
    Matcher matcher = TRACES.matcher(said());
    return matcher.find() ? matcher.group(1) : "not known";
  }

  @Override
  public String toString() {
    return name + " (" + pid() + ")";
  }

  /** Ends it at once. */
  void kill() {
    handle.destroyForcibly();
    handle.onExit().join();
  }

  /** Asks it to end, and sees to it. */
  void end() {
    handle.destroy();
    try {
      handle.onExit().get(5, TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException late) {
      handle.destroyForcibly();
      handle.onExit().join();
    } catch (InterruptedException e) {
      handle.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
