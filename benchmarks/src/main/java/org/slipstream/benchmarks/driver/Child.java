package org.slipstream.benchmarks.driver;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One measured JVM: commands go in, answers come out, and it never outlives the driver. */
final class Child implements AutoCloseable {
  private static final int KEPT_ERROR_LINES = 60;
  private static final long LOOK_MILLIS = 100;
  private static final String ENDED = "ended before it was told to";
  private static final Duration GRACE = Duration.ofSeconds(3);

  private final String name;
  private final Process process;
  private final Writer input;

  /** Lines of the standard output; an empty element is its end. */
  private final BlockingQueue<Optional<String>> output = new LinkedBlockingQueue<>();

  /** Guarded by itself: its reader thread adds, the measuring thread looks. */
  private final Deque<String> errors = new ArrayDeque<>();

  private Child(String name, Process process) {
    this.name = name;
    this.process = process;
    this.input = process.outputWriter(StandardCharsets.UTF_8);
  }

  static Child start(String name, List<String> command) throws BenchmarkFailure {
    Process process;
    try {
      process = new ProcessBuilder(command).start();
    } catch (IOException impossible) {
      throw new BenchmarkFailure(
          "The " + name + " could not be started: " + impossible.getMessage(), impossible);
    }
    Child child = new Child(name, process);
    child.follow(process.getInputStream(), child.output::add);
    child.follow(process.getErrorStream(), line -> line.ifPresent(child::keepError));
    return child;
  }

  private void follow(InputStream stream, Consumer<Optional<String>> sink) {
    Thread.ofPlatform()
        .daemon()
        .name(name + " output")
        .start(() -> {
          try (BufferedReader lines =
              new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            lines.lines().map(Optional::of).forEach(sink);
          } catch (IOException | UncheckedIOException closed) {
            // The process has gone; its end is reported below like any other.
          }
          sink.accept(Optional.empty());
        });
  }

  private void keepError(String line) {
    synchronized (errors) {
      errors.addLast(line);
      if (errors.size() > KEPT_ERROR_LINES) {
        errors.removeFirst();
      }
    }
  }

  long pid() {
    return process.pid();
  }

  String name() {
    return name;
  }

  /** Returns what the child has written to its standard error, the last lines of it. */
  List<String> errorLines() {
    synchronized (errors) {
      return List.copyOf(errors);
    }
  }

  void send(String command) throws BenchmarkFailure {
    try {
      input.write(command + "\n");
      input.flush();
    } catch (IOException gone) {
      throw failure(ENDED, gone);
    }
  }

  /** Waits for the next answer, which must begin with that word, and returns the whole line. */
  String expect(String word, Duration patience) throws BenchmarkFailure, InterruptedException {
    return expect(word, patience, this);
  }

  /** As above, and fails at once if the partner ends, for whom this child may wait for ever. */
  String expect(String word, Duration patience, Child partner)
      throws BenchmarkFailure, InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    Optional<String> line = output.poll();
    while (line == null) {
      if (partner != this && !partner.process.isAlive()) {
        throw partner.failure(ENDED, null);
      }
      if (System.nanoTime() - deadline > 0) {
        throw failure(
            "did not answer within "
                + patience.toSeconds()
                + " seconds"
                + threadDump()
                + (partner == this ? "" : partner.threadDump()),
            null);
      }
      line = output.poll(LOOK_MILLIS, MILLISECONDS);
    }
    String answer = line.orElse(null);
    if (answer == null) {
      throw failure(ENDED, null);
    }
    if (!answer.startsWith(word)) {
      throw failure("said '" + answer + "' instead of '" + word + "'", null);
    }
    return answer;
  }

  private BenchmarkFailure failure(String what, @Nullable Throwable cause) throws BenchmarkFailure {
    StringBuilder text = new StringBuilder("The " + name + " (process " + pid() + ") " + what);
    try {
      if (process.waitFor(1, TimeUnit.SECONDS)) {
        text.append(", with exit code ").append(process.exitValue());
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    text.append('.');
    List<String> lines = errorLines();
    if (!lines.isEmpty()) {
      text.append(" Its standard error:\n  ").append(String.join("\n  ", lines));
    }
    return cause == null
        ? new BenchmarkFailure(text.toString())
        : new BenchmarkFailure(text.toString(), cause);
  }

  /** A JVM answers SIGQUIT with its stacks on the standard output: the best witness of a hang. */
  private String threadDump() throws InterruptedException {
    try {
      new ProcessBuilder("kill", "-QUIT", Long.toString(pid())).start().waitFor();
    } catch (IOException noKill) {
      return "";
    }
    StringBuilder dump = new StringBuilder(".\nThe threads of the " + name + ":");
    Optional<String> line = output.poll(2, TimeUnit.SECONDS);
    while (line != null && line.isPresent()) {
      dump.append("\n  ").append(line.get());
      line = output.poll(500, MILLISECONDS);
    }
    return dump.toString();
  }

  /** Ends the process without asking. */
  void kill() {
    process.destroyForcibly();
  }

  /** Asks the process to end, and ends it if it does not. */
  @Override
  public void close() {
    try {
      input.write("quit\n");
      input.close();
    } catch (IOException gone) {
      // It has ended already.
    }
    try {
      process.waitFor(GRACE.toMillis(), MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    kill();
  }
}
