package org.slipstream.servers;

import java.util.Locale;
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
    Comparison comparison = new Comparison(name, unit, size);
    if (ROUNDS == 0) {
      test(scenario, false, least);
      test(scenario, true, least);
    } else if (name.toLowerCase(Locale.ROOT).contains(ONLY.toLowerCase(Locale.ROOT))) {
      try {
        comparison.measure(scenario, least);
      } catch (Exception | AssertionError e) {
        comparison.progress("FAILED: " + e.toString().lines().findFirst().orElse(""));
        throw e;
      }
    }
  }

  /** Runs it once, with a look at what carried it while everything still lives. */
  private static void test(Scenario scenario, boolean accelerated, Least least) throws Exception {
    try (Run run = new Run(accelerated, 1, 0)) {
      Load load = scenario.start(run);
      load.turn();
      run.checkAgent();
      if (accelerated) {
        run.checkCarrier(least);
      }
      load.end();
    }
  }

  private void measure(Scenario scenario, Least least) throws Exception {
    progress("starting both");
    try (Run offRun = new Run(false, SCALE, TURN_S);
        Run onRun = new Run(true, SCALE, TURN_S)) {
      Load offLoad = scenario.start(offRun);
      Load onLoad = scenario.start(onRun);
      progress("warming up both");
      warmUp(offLoad, onLoad);
      Rounds rounds =
          Rounds.take(
              ROUNDS, () -> Turn.of(offRun, offLoad), () -> Turn.of(onRun, onLoad), this::progress);
      offRun.checkAgent();
      onRun.checkAgent();
      double share = onRun.checkCarrier(least);
      offLoad.end();
      onLoad.end();
      Table.add(name, unit, rounds, share);
      if (size > 0) {
        new Times(name, size).add(rounds, Runtime.getRuntime().availableProcessors(), share);
      }
    }
  }

  /**
   * In turns, too: a connection that waits for the other side's whole warm-up is closed by many a
   * server. Tools with a JVM of their own have one turn of it: only their server can be warm.
   */
  private static void warmUp(Load off, Load on) throws Exception {
    int seconds = 0;
    do {
      off.turn();
      on.turn();
      seconds += TURN_S;
    } while (off instanceof Loop && seconds < WARM_UP_S);
  }

  private void progress(Rounds rounds) {
    progress(
        String.format(
            Locale.ROOT,
            "round %d of %d: off %.0f, on %.0f %s",
            rounds.off().size(),
            ROUNDS,
            rounds.off().getLast().figures().perSecond(),
            rounds.on().getLast().figures().perSecond(),
            unit));
  }

  private void progress(String what) {
    System.out.println("slipstream: " + name + ": " + what);
  }
}
