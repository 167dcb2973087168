package org.slipstream.agent.fabric;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A run of a program of others: the end of what it says, and an end by force. */
final class ToolRun implements Closeable {
  private static final int MOST_LINES = 40;
  private static final int LONGEST_LINE = 200;
  private static final int READER_MS = 1_000;

  private final Process process;
  private final Deque<String> lines = new ArrayDeque<>(); // guarded by itself
  private final Thread reader;

  private ToolRun(Process process) {
    this.process = process;
    this.reader = Thread.ofPlatform().daemon().name("slipstream-fabric-tool").start(this::read);
  }

  static ToolRun start(List<String> command) throws IOException {
    return new ToolRun(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .start());
  }

  private void read() {
    try (BufferedReader in = process.inputReader(Charset.defaultCharset())) {
      in.lines().forEach(this::keep);
    } catch (IOException | UncheckedIOException e) {
      return; // it was ended by force
    }
  }

  private void keep(String line) {
    if (line.isBlank()) {
      return;
    }
    synchronized (lines) {
      lines.addLast(line.substring(0, Math.min(LONGEST_LINE, line.length())));
      if (lines.size() > MOST_LINES) {
        lines.removeFirst();
      }
    }
  }

  /** The last lines that it said. */
  List<String> lines() {
    synchronized (lines) {
      return List.copyOf(lines);
    }
  }

  /**
   * Whether it has ended before then.
   *
   * @param millis to wait
   */
  boolean endsWithin(long millis) throws InterruptedException {
    boolean ended = process.waitFor(millis, TimeUnit.MILLISECONDS);
    if (ended) {
      reader.join(READER_MS);
    }
    return ended;
  }

  /** Its exit code; it has ended. */
  int code() {
    return process.exitValue();
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
