package org.slipstream.benchmarks.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * An HTTP server and a client, whose stream leaves TCP and comes back while requests are under way,
 * and the server's death. One thread, which draws the screen while it waits.
 */
public final class Demo {
  private static final long TICK_MS = 250;
  private static final double TICK_S = TICK_MS / 1000.0;
  private static final int TABLE_LINES = 4;
  private static final int BAR = 40;

  /** So that all of it fits a terminal of 24 lines. */
  private static final int STORY_LINES = 12;

  private static final int RATE_TICKS = 4;

  private final Stage stage;
  private final Screen screen;
  private final double seconds;
  private final long start = System.nanoTime();
  private final long end;

  private final List<String> story = new ArrayList<>();
  private final List<String> summary = new ArrayList<>();

  /** Answers at the last ticks, the newest last. */
  private final List<Long> answers = new ArrayList<>();

  private long topRate = 1;

  private Demo(Stage stage, Screen screen, double seconds, double deadline) {
    this.stage = stage;
    this.screen = screen;
    this.seconds = seconds;
    this.end = start + (long) (deadline * TimeUnit.SECONDS.toNanos(1));
  }

  /**
   * Plays it.
   *
   * @param jar slipstream.jar
   * @param screen where it is shown
   * @param seconds how long each of its five parts stays on the screen
   * @param deadline seconds after which it gives up
   * @return the summary
   * @throws DemoFailure it did not go as it should
   * @throws IOException a process can not be started
   * @throws InterruptedException the caller is to end
   */
  public static List<String> play(Path jar, Screen screen, double seconds, double deadline)
      throws DemoFailure, IOException, InterruptedException {
    try (Stage stage = new Stage(jar)) {
      Demo demo = new Demo(stage, screen, seconds, deadline);
      try {
        demo.run();
        return demo.summary;
      } catch (DemoFailure e) {
        String complaints = stage.complaints();
        if (complaints.isEmpty()) {
          throw e;
        }
        throw new DemoFailure(e.getMessage() + System.lineSeparator() + complaints);
      }
    }
  }

  /**
   * Draws what a screen has shown.
   *
   * @param screen after {@link #play}
   * @param svg is replaced
   * @throws IOException it can not be written
   */
  public static void record(Screen screen, Path svg) throws IOException {
    Files.writeString(svg, Recording.svg(screen.frames(), TICK_S));
  }

  private void run() throws DemoFailure, IOException, InterruptedException {
    say("Jetty and an HTTP client, both with -javaagent:slipstream.jar; demo.rules says: off all");
    stage.rules("off all");
    CompletableFuture<Integer> listening = new CompletableFuture<>();
    Actor server = stage.server(true, 0, listening);
    await("the server listens", listening::isDone, server);
    int port = listening.join();
    final Actor client = stage.client(port);
    final Actor ps = stage.ps();
    await("the client is answered", () -> stage.count().answered() > 0, server, client);
    hold("TCP", server, client);

    command("echo 'on all' > demo.rules", "new connections may leave TCP; the client makes one");
    stage.rules("on all");
    await("both are on the ring", () -> ring(client) && ring(server), server, client);
    hold("shared memory", server, client);

    command("slipstream off --all", "what is open goes back to TCP, in the middle of traffic");
    Actor off = stage.all("off");
    await("both are on TCP", () -> tcp(client) && tcp(server) && !off.isAlive(), server, client);
    hold("switched off", server, client);

    command("slipstream on --all", "new connections leave TCP again");
    Actor on = stage.all("on");
    await("both are on the ring", () -> ring(client) && ring(server) && !on.isAlive(), client);
    hold("switched on", server, client);

    command("kill -9 " + server.pid(), "and a new server, started without Slipstream");
    server.kill();
    final long before = stage.count().answered();
    CompletableFuture<Integer> again = new CompletableFuture<>();
    Actor plain = stage.server(false, port, again);
    await("the new server listens", again::isDone, plain, client);
    await(
        "the client is answered over TCP",
        () -> tcp(client) && stage.count().answered() > before,
        plain,
        client);
    hold("new server", plain, client);
    finish(client, ps);
  }

  private void finish(Actor client, Actor ps)
      throws DemoFailure, IOException, InterruptedException {
    client.endInput();
    await("the client ends", () -> !client.isAlive() && stage.done().isDone(), ps);
    Count count = stage.count();
    long answered = stage.done().join();
    if (answered != count.answered()) {
      throw new DemoFailure("the client lost count: " + answered + " and " + count.answered());
    }
    summary.add(
        String.format(
            Locale.ROOT,
            "%,d requests, each answered once, with what was sent; %d connections; %.0f s",
            answered,
            count.connections(),
            elapsed()));
    summary.add(
        count.again() + " without an answer when their server was killed; they were sent again");
    summary.subList(summary.size() - 2, summary.size()).forEach(this::say);
    draw();
  }

  private boolean ring(Actor actor) {
    return stage.table().isOnRing(actor.pid());
  }

  private boolean tcp(Actor actor) {
    return stage.table().isOnTcp(actor.pid());
  }

  private void say(String line) {
    story.add(line);
    screen.say(line);
  }

  private void command(String command, String meaning) {
    say(Frame.COMMAND + command);
    say("  " + meaning);
  }

  /** Waits until something is so, and draws meanwhile. */
  private void await(String what, BooleanSupplier condition, Actor... needed)
      throws DemoFailure, InterruptedException {
    while (!condition.getAsBoolean()) {
      tick(what, needed);
    }
  }

  /** Lets a part be looked at, and adds its rate to the summary. */
  private void hold(String name, Actor server, Actor client)
      throws DemoFailure, InterruptedException {
    long from = System.nanoTime();
    final long answered = stage.count().answered();
    long ticks = Math.max(2, Math.round(seconds / TICK_S));
    for (int i = 0; i < ticks; i++) {
      tick("the requests go on", server, client);
    }
    double rate = (stage.count().answered() - answered) / ((System.nanoTime() - from) / 1e9);
    String line =
        String.format(
            Locale.ROOT,
            "  %-14s %-4s %,8.0f requests/s",
            name,
            stage.table().carrier(client.pid()),
            rate);
    summary.add(line);
    say(line);
    if (stage.count().answered() == answered) {
      throw new DemoFailure("no request was answered in the part '" + name + "'");
    }
  }

  private void tick(String what, Actor... needed) throws DemoFailure, InterruptedException {
    for (Actor actor : needed) {
      if (!actor.isAlive()) {
        throw new DemoFailure("a process that is needed " + actor.fate());
      }
    }
    if (System.nanoTime() - end > 0) {
      throw new DemoFailure("it took too long until " + what);
    }
    Thread.sleep(TICK_MS);
    answers.add(stage.count().answered());
    draw();
  }

  private double elapsed() {
    return (System.nanoTime() - start) / 1e9;
  }

  private void draw() {
    List<String> lines = new ArrayList<>();
    lines.add(String.format(Locale.ROOT, "Slipstream demo %78.0f s", elapsed()));
    lines.add("");
    Count count = stage.count();
    long rate = rate();
    topRate = Math.max(topRate, rate);
    String bar = "#".repeat((int) (BAR * rate / topRate));
    lines.add(String.format(Locale.ROOT, "requests/s %,9d  %s", rate, bar));
    lines.add(
        String.format(
            Locale.ROOT,
            "answered %,11d  wrong 0  sent again %d  connections %d",
            count.answered(),
            count.again(),
            count.connections()));
    lines.add("");
    List<String> table = new ArrayList<>(stage.table().lines());
    while (table.size() <= TABLE_LINES) {
      table.add("");
    }
    lines.add(Frame.COMMAND + "slipstream ps --watch");
    lines.addAll(table);
    lines.addAll(story.subList(Math.max(0, story.size() - STORY_LINES), story.size()));
    screen.show(new Frame(elapsed(), lines));
  }

  /** Of the last second. */
  private long rate() {
    int last = answers.size() - 1;
    int first = Math.max(0, last - RATE_TICKS);
    return last <= first
        ? 0
        : Math.round((answers.get(last) - answers.get(first)) / ((last - first) * TICK_S));
  }
}
