package org.slipstream.servers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.slipstream.servers.Rounds.Turn;
import org.slipstream.servers.Scenario.Load;

/**
 * Runs a scenario without and with Slipstream. As a test: once each, with a small load. With the
 * property {@code slipstream.servers.rounds} as a measurement: both stand side by side, are warmed
 * up, and are loaded in turns.
 */
public final class Comparison {
  private static final int ROUNDS = Integer.getInteger("slipstream.servers.rounds", 0);

  /** How much more load than a test, where the load and not the time is chosen. */
  private static final int SCALE = Integer.getInteger("slipstream.servers.scale", 10);

  private static final int WARM_UP_S = Integer.getInteger("slipstream.servers.warmup", 25);
  private static final int TURN_S = Integer.getInteger("slipstream.servers.seconds", 3);
  private static final String ONLY = System.getProperty("slipstream.servers.only", "");

  private final String name;
  private final String unit;

  /** The amount whose times are of interest by themselves; 0 if there is none. */
  private final double size;

  private Comparison(String name, String unit, double size) {
    this.name = name;
    this.unit = unit;
    this.size = size;
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
    Comparison comparison = new Comparison(name, unit, size);
    if (ROUNDS == 0) {
      for (Arm arm : Arm.wanted(arms, scenario)) {
        test(scenario, arm, least);
      }
    } else if (name.toLowerCase(Locale.ROOT).contains(ONLY.toLowerCase(Locale.ROOT))) {
      List<Side> sides = new ArrayList<>();
      try {
        comparison.measure(sides, Arm.wanted(arms, scenario), scenario, least);
      } catch (Exception | AssertionError e) {
        comparison.progress("FAILED: " + e.toString().lines().findFirst().orElse(""));
        throw e;
      } finally {
        for (Side side : sides) {
          side.run.close();
        }
      }
    }
  }

  /** Runs it once, with a look at what carried it while everything still lives. */
  private static void test(Scenario scenario, Arm arm, Least least) throws Exception {
    try (Run run = new Run(arm, 1, 0)) {
      Load load = scenario.start(run);
      load.turn();
      run.checkAgent();
      if (arm.isAccelerated()) {
        run.checkCarrier(least);
      }
      load.end();
    }
  }

  /** An arm while it is measured. */
  private record Side(Run run, Load load) {
    Turn turn() throws Exception {
      return Turn.of(run, load);
    }
  }

  private void measure(List<Side> sides, List<Arm> arms, Scenario scenario, Least least)
      throws Exception {
    progress("starting " + arms.size());
    for (Arm arm : arms) {
      sides.add(start(scenario, arm));
    }
    progress("warming up");
    warmUp(sides);
    List<Callable<Turn>> turns = sides.stream().map(side -> (Callable<Turn>) side::turn).toList();
    Rounds rounds = Rounds.take(ROUNDS, turns, so -> progress(so, arms));
    List<Double> shares = new ArrayList<>();
    for (Side side : sides) {
      side.run.checkAgent();
      shares.add(side.run.arm().isAccelerated() ? side.run.checkCarrier(least) : 0.0);
      side.load.end();
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

  /** A line for each accelerated arm beside TCP, and one beside what is shipped. */
  private void write(Rounds rounds, List<Arm> arms, List<Double> shares) throws IOException {
    for (int on = 0; on < arms.size(); on++) {
      Arm arm = arms.get(on);
      List<Turn> turns = rounds.turns().get(on);
      double share = shares.get(on);
      for (int off = 0; off < arms.size() && arm.isAccelerated(); off++) {
        if (!arms.get(off).isAccelerated()) {
          String title = name + (arm == Arm.NTB ? ", over NTB" : "");
          title += arms.get(off) == Arm.SHIPPED ? ", beside it as shipped" : "";
          Table.add(title, unit, rounds.turns().get(off), turns, share);
        }
      }
      if (size > 0) {
        new Times(name, size).add(arm, turns, Runtime.getRuntime().availableProcessors(), share);
      } else {
        new Rates(name, unit).row(arm, turns, share).append();
      }
    }
  }

  /**
   * In turns, too: a connection that waits for the other side's whole warm-up is closed by many a
   * server. Tools with a JVM of their own have one turn of it: only their server can be warm.
   */
  private static void warmUp(List<Side> sides) throws Exception {
    int seconds = 0;
    do {
      for (Side side : sides) {
        side.load.turn();
      }
      seconds += TURN_S;
    } while (sides.getFirst().load instanceof Loop && seconds < WARM_UP_S);
  }

  private void progress(Rounds rounds, List<Arm> arms) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < arms.size(); i++) {
      double perSecond = rounds.turns().get(i).getLast().figures().perSecond();
      line.append(String.format(Locale.ROOT, ", %s %.0f", arms.get(i).carrier(), perSecond));
    }
    int round = rounds.turns().getFirst().size();
    progress("round " + round + " of " + ROUNDS + line + " " + unit);
  }

  private void progress(String what) {
    System.out.println("slipstream: " + name + ": " + what);
  }
}
