package org.slipstream.servers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.slipstream.servers.Rounds.Turn;
import org.slipstream.servers.Scenario.Load;

/**
 * Runs a scenario without and with Slipstream. As a test: once each, with a small load. With the
 * property {@code slipstream.servers.rounds} as a measurement: both stand side by side, are warmed
 * up, and are loaded in turns. Several loads may follow each other on the same servers.
 */
public final class Comparison {
  private static final int ROUNDS = Integer.getInteger("slipstream.servers.rounds", 0);

  /** How much more load than a test, where the load and not the time is chosen. */
  private static final int SCALE = Integer.getInteger("slipstream.servers.scale", 10);

  private static final int WARM_UP_S = Integer.getInteger("slipstream.servers.warmup", 25);
  private static final int TURN_S = Integer.getInteger("slipstream.servers.seconds", 3);
  private static final String ONLY = System.getProperty("slipstream.servers.only", "");

  /** So much of the warm-up of the first load have those that follow it on the same servers. */
  private static final int WARM_PART = 8;

  private final Step step;

  private Comparison(Step step) {
    this.step = step;
  }

  /**
   * Tests it, or measures it.
   *
   * @param name of the server and its load
   * @param unit of the throughput
   * @param least of the servers' bytes that has to leave the kernel, tested or measured
   * @param scenario what to run
   * @throws Exception whatever fails
   */
  public static void run(String name, String unit, Least least, Scenario scenario)
      throws Exception {
    run(name, unit, 0, least, scenario);
  }

  /**
   * As this, and a measurement shows the times of one load of that size, too.
   *
   * @param name of the server and its load
   * @param unit of the throughput
   * @param size the amount that is one load
   * @param least of the servers' bytes that has to leave the kernel, tested or measured
   * @param scenario what to run
   * @throws Exception whatever fails
   */
  public static void run(String name, String unit, double size, Least least, Scenario scenario)
      throws Exception {
    run(name, unit, size, least, Arm.TWO, scenario);
  }

  /**
   * As this, over more than TCP and Slipstream.
   *
   * @param name of the server and its load
   * @param unit of the throughput
   * @param size the amount that is one load
   * @param least of the servers' bytes that has to leave the kernel, tested or measured
   * @param arms that stand side by side, {@link Arm#TCP} among them
   * @param scenario what to run
   * @throws Exception whatever fails
   */
  public static void run(
      String name, String unit, double size, Least least, List<Arm> arms, Scenario scenario)
      throws Exception {
    series(List.of(new Step(name, unit, size, least, "", 0)), arms, scenario);
  }

  /**
   * Tests or measures one load after the other, each for a row of its own. Their servers are
   * started once, and stay warm from one to the next.
   *
   * @param steps in the order in which they run
   * @param arms that stand side by side, {@link Arm#TCP} among them
   * @param scenario what to run; its load knows the words of all steps
   * @throws Exception whatever fails
   */
  public static void series(List<Step> steps, List<Arm> arms, Scenario scenario) throws Exception {
    if (ROUNDS == 0) {
      for (Arm arm : Arm.wanted(arms, scenario)) {
        test(steps, scenario, arm);
      }
      return;
    }
    List<Step> chosen = steps.stream().filter(step -> isWanted(step.name())).toList();
    if (!chosen.isEmpty()) {
      measure(chosen, Arm.wanted(arms, scenario), scenario);
    }
  }

  private static boolean isWanted(String name) {
    return name.toLowerCase(Locale.ROOT).contains(ONLY.toLowerCase(Locale.ROOT));
  }

  private static void measure(List<Step> steps, List<Arm> arms, Scenario scenario)
      throws Exception {
    List<Side> sides = new ArrayList<>();
    Comparison comparison = new Comparison(steps.getFirst());
    try {
      comparison.progress("starting " + arms.size());
      for (Arm arm : arms) {
        sides.add(start(scenario, arm));
      }
      List<AssertionError> wrong = new ArrayList<>();
      for (int i = 0; i < steps.size(); i++) {
        comparison = new Comparison(steps.get(i));
        try {
          comparison.measure(sides, arms, i == 0 ? WARM_UP_S : WARM_UP_S / WARM_PART);
        } catch (AssertionError e) { // the row is not written, and those behind it can be
          comparison.progress("FAILED: " + e.getMessage());
          wrong.add(e);
        }
      }
      for (Side side : sides) {
        side.run.checkAgent();
        side.load.end();
      }
      if (!wrong.isEmpty()) {
        throw wrong.getFirst();
      }
    } catch (Exception | AssertionError e) {
      comparison.progress("FAILED: " + e.toString().lines().findFirst().orElse(""));
      throw e;
    } finally {
      for (Side side : sides) {
        side.run.close();
      }
    }
  }

  /** Runs each once, with a look at what carried it while everything still lives. */
  private static void test(List<Step> steps, Scenario scenario, Arm arm) throws Exception {
    try (Run run = new Run(arm, 1, 0)) {
      Load load = scenario.start(run);
      for (Step step : steps) {
        next(load, step);
        load.turn();
        if (arm.isAccelerated()) {
          check(run, step);
        }
      }
      run.checkAgent();
      load.end();
    }
  }

  private static void next(Load load, Step step) throws Exception {
    if (!step.words().isEmpty()) {
      load.next(step.words(), step.operations());
    }
  }

  private static double check(Run run, Step step) throws IOException, InterruptedException {
    try {
      return run.checkCarrier(step.least());
    } catch (AssertionError e) {
      throw new AssertionError(step.name() + ": " + e.getMessage(), e);
    }
  }

  /** An arm while it is measured. */
  private record Side(Run run, Load load) {
    Turn turn() throws Exception {
      return Turn.of(run, load);
    }
  }

  private void measure(List<Side> sides, List<Arm> arms, int warmUpSeconds) throws Exception {
    for (Side side : sides) {
      next(side.load, step);
    }
    progress("warming up");
    warmUp(sides, warmUpSeconds);
    List<Callable<Turn>> turns = sides.stream().map(side -> (Callable<Turn>) side::turn).toList();
    Rounds rounds = Rounds.take(ROUNDS, turns, so -> progress(so, arms));
    List<Double> shares = new ArrayList<>();
    for (Side side : sides) {
      shares.add(side.run.arm().isAccelerated() ? check(side.run, step) : 0.0);
    }
    write(rounds, arms, shares);
  }

  /** Does not leave processes behind if it fails in the middle. */
  private static Side start(Scenario scenario, Arm arm) throws Exception {
    Run run = new Run(arm, SCALE, TURN_S);
    try {
      return new Side(run, scenario.start(run));
    } catch (Exception | AssertionError e) {
      run.close();
      throw e;
    }
  }

  /** A line for each accelerated arm beside its TCP, and one beside what is shipped. */
  private void write(Rounds rounds, List<Arm> arms, List<Double> shares) throws IOException {
    for (int on = 0; on < arms.size(); on++) {
      Arm arm = arms.get(on);
      List<Turn> turns = rounds.turns().get(on);
      double share = shares.get(on);
      for (int off = 0; off < arms.size(); off++) {
        if (arm.isBeside(arms.get(off))) {
          String title = step.name() + arm.suffix();
          title += arms.get(off) == Arm.SHIPPED ? ", beside it as shipped" : "";
          Table.add(title, step.unit(), rounds.turns().get(off), turns, share);
        }
      }
      if (step.size() > 0) {
        new Times(step.name(), step.size())
            .add(arm, turns, Runtime.getRuntime().availableProcessors(), share);
      } else {
        new Rates(step.name(), step.unit()).row(arm, turns, share).append();
      }
    }
  }

  /**
   * In turns, too: a connection that waits for the other side's whole warm-up is closed by many a
   * server. Of tools with a JVM of their own only the server becomes warm.
   */
  private static void warmUp(List<Side> sides, int wanted) throws Exception {
    long spentNs = 0;
    do {
      long start = System.nanoTime();
      sides.getFirst().load.turn();
      spentNs += System.nanoTime() - start;
      for (Side side : sides.subList(1, sides.size())) {
        side.load.turn();
      }
    } while (spentNs < TimeUnit.SECONDS.toNanos(wanted));
  }

  private void progress(Rounds rounds, List<Arm> arms) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < arms.size(); i++) {
      double perSecond = rounds.turns().get(i).getLast().figures().perSecond();
      line.append(String.format(Locale.ROOT, ", %s %.0f", arms.get(i).carrier(), perSecond));
    }
    int round = rounds.turns().getFirst().size();
    progress("round " + round + " of " + ROUNDS + line + " " + step.unit());
  }

  private void progress(String what) {
    System.out.println("slipstream: " + step.name() + ": " + what);
  }
}
