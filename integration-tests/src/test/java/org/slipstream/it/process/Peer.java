package org.slipstream.it.process;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.slipstream.testkit.Patience;

/** A child JVM that runs {@link PeerProgram}: commands go in, answers come out. */
final class Peer {
  private static final Duration PATIENCE = Patience.DEADLINE;

  /** Between two looks for an answer that has to come promptly. */
  private static final int LOOK_MS = 10;

  private final Process process;
  private final Writer input;
  private final List<Thread> followers = new ArrayList<>();
  private final AtomicLong ids = new AtomicLong();
  private final Map<Long, CompletableFuture<String>> asked = new ConcurrentHashMap<>();
  private final CompletableFuture<String> ready = new CompletableFuture<>();
  private final List<String> foreignOutput = new CopyOnWriteArrayList<>();
  private final List<String> errors = new CopyOnWriteArrayList<>();
  private Callable<?> askForStacks = this::quit;

  private Peer(Process process) {
    this.process = process;
    this.input = process.outputWriter(StandardCharsets.UTF_8);
    asked.put(0L, ready);
  }

  static Peer start(List<String> command) throws IOException {
    Peer peer = new Peer(new ProcessBuilder(command).start());
    peer.follow(peer.process.getInputStream(), true);
    peer.follow(peer.process.getErrorStream(), false);
    return peer;
  }

  private void follow(InputStream stream, boolean output) {
    Thread follower =
        Thread.ofPlatform()
            .daemon()
            .name("peer-" + pid())
            .start(() -> {
              try (BufferedReader lines =
                  new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                lines.lines().forEach(output ? this::answered : errors::add);
              } catch (IOException | UncheckedIOException e) {
                errors.add("(its output broke: " + e.getMessage() + ")");
              }
              if (output) {
                asked.values().forEach(f -> f.complete("gone"));
              }
            });
    followers.add(follower);
  }

  private void answered(String line) {
    int blank = line.indexOf(' ');
    if (!line.startsWith("@") || blank < 0) {
      foreignOutput.add(line);
      return;
    }
    CompletableFuture<String> answer = asked.remove(Long.parseLong(line.substring(1, blank)));
    if (answer == null) {
      foreignOutput.add(line);
    } else {
      answer.complete(line.substring(blank + 1));
    }
  }

  Peer awaitReady() throws Exception {
    assertThat(result(ready, PATIENCE, "start")).isEqualTo("ready");
    return this;
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** What is on standard output and is no answer. */
  List<String> foreignOutput() {
    return foreignOutput;
  }

  List<String> errors() {
    return errors;
  }

  // -- commands --------------------------------------------------------------------------------

  /** Gives a command; the answer comes when it has ended. */
  CompletableFuture<String> begin(String command) throws IOException {
    long id = ids.incrementAndGet();
    CompletableFuture<String> answer = new CompletableFuture<>();
    asked.put(id, answer);
    synchronized (input) {
      input.write(id + " " + command + "\n");
      input.flush();
    }
    return answer;
  }

  /** Gives a command that must succeed, and returns what follows the {@code ok}. */
  String ask(String command) throws Exception {
    return ask(command, PATIENCE);
  }

  String ask(String command, Duration patience) throws Exception {
    return ok(begin(command), patience, command);
  }

  String ok(CompletableFuture<String> answer, Duration patience, String what) throws Exception {
    String text = result(answer, patience, what);
    assertThat(text)
        .as("the answer of process %s to '%s'; %s", pid(), what, errors)
        .startsWith("ok");
    return text.substring(2).strip();
  }

  String ok(CompletableFuture<String> answer, String what) throws Exception {
    return ok(answer, PATIENCE, what);
  }

  /** As {@link #ok}, for what has to come within one second. */
  String okWithinOneSecond(CompletableFuture<String> answer, String what) throws Exception {
    return ok(answer, looks(answer), what + ", within one second");
  }

  /** As {@link #result}, for what has to come within one second. */
  String resultWithinOneSecond(CompletableFuture<String> answer, String what) throws Exception {
    return result(answer, looks(answer), what + ", within one second");
  }

  /**
   * Waits, and counts looks instead of the time: where a machine stands still for a moment, or has
   * no core for us, it has none for the child.
   */
  private static Duration looks(CompletableFuture<String> answer) throws InterruptedException {
    Duration promptly = Patience.promptly();
    for (long left = promptly.toMillis() / LOOK_MS; left > 0 && !answer.isDone(); left--) {
      Thread.sleep(LOOK_MS);
    }
    return Duration.ofMillis(LOOK_MS);
  }

  /**
   * Waits for the answer, whatever it is; if none comes, the stacks of the child are the reason.
   */
  String result(CompletableFuture<String> answer, Duration patience, String what) throws Exception {
    try {
      return answer.get(patience.toMillis(), MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw new AssertionError(
          "Process %d did not answer '%s' within %s.%n%s%n%s"
              .formatted(pid(), what, patience, String.join("\n", errors), stacks()),
          e);
    }
  }

  /** How SIGQUIT gets to the JVM where our child only stands for it: in a container. */
  Peer withStacksBy(Callable<?> command) {
    askForStacks = command;
    return this;
  }

  private Void quit() throws Exception {
    signal("QUIT");
    return null;
  }

  /** A JVM answers SIGQUIT with its stacks on standard output. */
  String stacks() throws Exception {
    if (!isAlive()) {
      return "It has ended with " + process.exitValue();
    }
    int before = foreignOutput.size();
    askForStacks.call();
    try {
      await().until(() -> foreignOutput.stream().anyMatch(l -> l.contains("JNI global refs")));
    } catch (org.awaitility.core.ConditionTimeoutException e) {
      return "It does not even show its stacks";
    }
    return String.join("\n", foreignOutput.subList(before, foreignOutput.size()));
  }

  int port(String listener) throws Exception {
    return Integer.parseInt(ask("listen " + listener));
  }

  int echo(String listener) throws Exception {
    int port = port(listener);
    ask("serve " + listener + " echo");
    return port;
  }

  /** Its streams as it reports them itself, wherever it lives; it must have the agent. */
  List<StreamLine> streams() throws Exception {
    return StreamLine.parse(ask("streams"));
  }

  List<String> threads() throws Exception {
    return List.of(ask("threads").split(",", -1));
  }

  // -- life and death --------------------------------------------------------------------------

  void signal(String name) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start();
    assertThat(kill.waitFor(Patience.DEADLINE)).isTrue();
  }

  /** SIGKILL, and waits until the kernel has taken the process apart. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
  }

  /** Stops the process and waits until the kernel says so. */
  void stop() throws Exception {
    signal("STOP");
    await().pollInterval(Duration.ofMillis(2)).until(() -> Census.state(pid()) == 'T');
  }

  /** Ends the input, and so the program, the way programs end. */
  int end() throws Exception {
    input.close();
    return awaitExit();
  }

  /** Waits until it has ended, and until all that it said has been read. */
  int awaitExit() throws InterruptedException {
    assertThat(process.waitFor(Patience.DEADLINE)).as("process %s ends", pid()).isTrue();
    for (Thread follower : followers) {
      assertThat(follower.join(Patience.DEADLINE)).as("process %s is silent", pid()).isTrue();
    }
    return process.exitValue();
  }

  /** Prints what it said besides its answers. */
  void report() {
    for (String line : foreignOutput) {
      System.out.println("process " + pid() + " out: " + line);
    }
    for (String line : errors) {
      System.out.println("process " + pid() + " err: " + line);
    }
  }

  /** Last resort of the fixture. */
  void destroy() {
    process.destroyForcibly();
  }
}
