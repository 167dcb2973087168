package org.slipstream.benchmarks.programs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The commands of a worker: lines of the standard input, each answered by one line.
 *
 * <p>The reader is a thread of its own because the end of the input must end the process even while
 * the loop is busy: a driver that was killed leaves no program behind that spins for ever.
 */
public final class Commands {
  static final String QUIT = "quit";

  private Commands() {}

  /** What a worker does with one slice; the returned line is the answer. */
  @FunctionalInterface
  public interface Task {
    /** Runs one slice. */
    String run(Slice slice) throws IOException;
  }

  /** Announces the worker and runs its commands one by one until it is told to quit. */
  public static void serve(String greeting, Task task) throws IOException, InterruptedException {
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    Thread.ofPlatform().daemon().name("commands").start(() -> read(lines));
    answer(greeting);
    for (String line = lines.take(); !line.equals(QUIT); line = lines.take()) {
      answer(task.run(Slice.parse(line)));
    }
  }

  /** Writes one line to the standard output at once. */
  public static void answer(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private static void read(BlockingQueue<String> lines) {
    try (BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        lines.add(line.strip());
      }
    } catch (IOException unreadable) {
      // An input that cannot be read is an input that has ended.
    }
    System.exit(0);
  }
}
