package org.slipstream.agent.trial;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * A program that was started here, and all processes that it has started. What it prints goes to
 * standard error, so that the report is alone on standard output; it has nothing to read.
 */
final class Program implements AutoCloseable {
  private static final long LOOK_MS = 20;

  private final Process root;
  private final Thread printing;

  /**
   * All that were ever seen: a process whose parent has ended is no descendant any more. Guarded by
   * this.
   */
  private final Set<ProcessHandle> seen = new LinkedHashSet<>();

  private Program(Process root, Thread printing) {
    this.root = root;
    this.printing = printing;
    seen.add(root.toHandle());
  }

  /**
   * Starts one.
   *
   * @param command and its arguments
   * @param environment added to ours
   * @throws IOException there is no such program
   */
  static Program start(List<String> command, Map<String, String> environment) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectInput(new File("/dev/null")).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    Thread printing =
        Thread.ofPlatform()
            .daemon()
            .name("slipstream-try-output")
            .start(() -> print(process.getInputStream()));
    return new Program(process, printing);
  }

  private static void print(InputStream output) {
    try (output) {
      output.transferTo(System.err);
    } catch (IOException e) {
      return; // it has ended
    }
  }

  /** Whether the process that was started runs. */
  boolean isAlive() {
    return root.isAlive();
  }

  /** The code with which it ended. */
  int exitCode() {
    return root.exitValue();
  }

  /** The processes of it that were ever seen; a look for new ones. */
  synchronized Set<Long> pids() {
    root.descendants().forEach(seen::add);
    Set<Long> pids = new TreeSet<>();
    seen.forEach(process -> pids.add(process.pid()));
    return pids;
  }

  /**
   * Ends it, politely first, and what it has started before it: so that each is waited for by its
   * parent, and its processor time is counted.
   *
   * @param patience for the polite end
   */
  void end(Duration patience) throws InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    pids();
    for (ProcessHandle process : theirs()) {
      process.destroy();
    }
    while (theirs().stream().anyMatch(ProcessHandle::isAlive) && System.nanoTime() < deadline) {
      Thread.sleep(LOOK_MS);
    }
    root.destroy();
    if (!root.waitFor(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
      root.destroyForcibly();
    }
    pids();
    theirs().forEach(ProcessHandle::destroyForcibly);
    root.waitFor();
    printing.join(Duration.ofSeconds(1)); // a process that is not ours may hold the pipe
  }

  private synchronized List<ProcessHandle> theirs() {
    return seen.stream().filter(process -> process.pid() != root.pid()).toList();
  }

  /** Ends it at once; after an error, or when this process ends. */
  @Override
  public void close() {
    pids();
    theirs().forEach(ProcessHandle::destroyForcibly);
    root.destroyForcibly();
  }
}
