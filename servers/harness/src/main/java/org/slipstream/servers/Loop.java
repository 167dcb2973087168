package org.slipstream.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import org.slipstream.servers.Scenario.Figures;
import org.slipstream.servers.Scenario.Load;

/**
 * A client that repeats one operation, for as long as each line of its input says: {@link #serve}
 * is its main method, {@link #of} the harness's side. So it stays warm from one turn to the next.
 */
public final class Loop implements Load {
  private static final int PATIENCE_S = Guest.seconds(240);
  private static final double MICROS = 1e3;
  private static final double NANOS = 1e9;

  /** With fewer operations in a turn, the 99th percentile would be the longest of them. */
  private static final int ENOUGH = 100;

  private final Run run;
  private final Jvm client;
  private int operations;
  private int turns;
  private int loads;

  private Loop(Run run, Jvm client, int operations) {
    this.run = run;
    this.client = client;
    this.operations = operations;
  }

  /** What is repeated. */
  @FunctionalInterface
  public interface Operation {
    /**
     * Does it once, and compares what comes back.
     *
     * @throws Exception if something else comes back
     */
    void perform() throws Exception;
  }

  /**
   * One of the loads that a client knows.
   *
   * @param amount that one operation counts for
   * @param operation what is repeated
   * @param more figures of the time since it was asked last, which is after each turn
   */
  public record Job(double amount, Operation operation, Supplier<Map<String, Double>> more) {}

  /** The loads that a client knows. */
  @FunctionalInterface
  public interface Jobs {
    /**
     * Prepares one; the one before has ended.
     *
     * @param words which one
     * @return what is repeated from now on
     * @throws Exception whatever fails
     */
    Job prepare(List<String> words) throws Exception;
  }

  /**
   * A load by a client whose main method is {@link #serve}.
   *
   * @param run that started it
   * @param client the process
   * @param operations in a turn of a test; in a measurement the time decides
   * @return the load
   */
  public static Load of(Run run, Jvm client, int operations) {
    return new Loop(run, client, operations);
  }

  @Override
  public Figures turn() throws IOException, InterruptedException {
    turns++;
    client.say(run.turnSeconds() > 0 ? "seconds " + run.turnSeconds() : "times " + operations);
    Matcher said =
        client.await(
            "^TURN " + turns + " ([0-9.]+) ([0-9.]+) ([0-9.]+) ([0-9.]+|NaN)((?: \\w+=[0-9.]+)*)$",
            PATIENCE_S);
    Map<String, Double> more = new LinkedHashMap<>();
    for (String word : said.group(5).trim().split(" ", -1)) {
      if (!word.isEmpty()) {
        String[] member = word.split("=", -1);
        more.put(member[0], Double.valueOf(member[1]));
      }
    }
    return new Figures(number(said, 1), number(said, 2), number(said, 3), number(said, 4), more);
  }

  private static double number(Matcher said, int group) {
    return Double.parseDouble(said.group(group));
  }

  @Override
  public void next(String words, int operations) throws IOException, InterruptedException {
    this.operations = operations;
    loads++;
    client.say("load " + words);
    client.await("^LOAD " + loads + "$", PATIENCE_S);
  }

  @Override
  public void end() throws IOException, InterruptedException {
    client.say("end");
    client.finish(PATIENCE_S);
  }

  /**
   * Performs an operation as the harness says, until it says that this is the end, or is gone.
   *
   * @param amount that one operation counts for
   * @param operation what is repeated
   * @throws Exception whatever it throws
   */
  public static void serve(double amount, Operation operation) throws Exception {
    serve(amount, operation, Map::of);
  }

  /**
   * As this, with figures that only this load has.
   *
   * @param amount that one operation counts for
   * @param operation what is repeated
   * @param more figures of the time since it was asked last, which is after each turn
   * @throws Exception whatever the operation throws
   */
  public static void serve(double amount, Operation operation, Supplier<Map<String, Double>> more)
      throws Exception {
    Job job = new Job(amount, operation, more);
    serve(job, words -> job);
  }

  /**
   * Performs the operations of one load after the other, as the harness says.
   *
   * @param jobs the loads
   * @throws Exception whatever a load throws
   */
  public static void serve(Jobs jobs) throws Exception {
    Operation none =
        () -> {
          throw new IllegalStateException("no load was chosen");
        };
    serve(new Job(0, none, Map::of), jobs);
  }

  private static void serve(Job first, Jobs jobs) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    Job job = first;
    int turn = 0;
    int loads = 0;
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      List<String> words = List.of(line.split(" ", -1));
      switch (words.getFirst()) {
        case "load" -> {
          job = jobs.prepare(words.subList(1, words.size()));
          System.out.println("LOAD " + ++loads);
        }
        case "times" -> turn(++turn, Integer.parseInt(words.get(1)), Long.MAX_VALUE, job);
        case "seconds" -> {
          long nanos = TimeUnit.SECONDS.toNanos(Long.parseLong(words.get(1)));
          turn(++turn, Integer.MAX_VALUE, nanos, job);
        }
        default -> {
          return;
        }
      }
    }
  }

  private static void turn(int turn, int most, long mostNanos, Job job) throws Exception {
    long[] nanos = new long[1024];
    int count = 0;
    long start = System.nanoTime();
    long now = start;
    while (count < most && now - start < mostNanos) {
      job.operation.perform();
      long ended = System.nanoTime();
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, 2 * count);
      }
      nanos[count++] = ended - now;
      now = ended;
    }
    Figures figures = figures(job.amount, Arrays.copyOf(nanos, count), now - start);
    StringBuilder rest = new StringBuilder();
    job.more
        .get()
        .forEach((name, value) -> rest.append(String.format(Locale.ROOT, " %s=%.6f", name, value)));
    System.out.printf(
        Locale.ROOT,
        "TURN %d %.3f %.3f %.3f %.3f%s%n",
        turn,
        figures.amount(),
        figures.perSecond(),
        figures.p50(),
        figures.p99(),
        rest);
  }

  /**
   * What a turn measured.
   *
   * @param amount that one operation counts for
   * @param nanos of each operation; is sorted
   * @param all nanoseconds of the turn
   */
  static Figures figures(double amount, long[] nanos, long all) {
    Arrays.sort(nanos);
    return new Figures(
        amount * nanos.length,
        amount * nanos.length / (all / NANOS),
        percentile(nanos, 50),
        nanos.length < ENOUGH ? Double.NaN : percentile(nanos, 99));
  }

  /** The smallest that is not exceeded by so many percent of them, in microseconds. */
  private static double percentile(long[] sorted, int percent) {
    int rank = (int) Math.ceilDiv((long) sorted.length * percent, 100);
    return sorted[rank - 1] / MICROS;
  }
}
