package org.slipstream.core.wait;

import java.io.IOException;
import java.util.Random;

/**
 * Two ends that answer each other in turn, each with the product's {@link Spinner} and {@link
 * LoadSensor}, on a machine whose wake-ups and yields take as long as the test says. The time is
 * simulated, so the same seed gives the same figures on each machine.
 */
final class PairSimulation {
  /** What the machine is like; nanoseconds, and shares of all yields. */
  record Machine(int wakeUp, int answer, double busyYields, double longYields) {}

  /** What became of the second half of the exchanges: shares, and nanoseconds for a round trip. */
  record Outcome(int recovered, double awake, long roundTrip, double spinning) {}

  private static final int MAX_SPIN = 100_000;
  private static final int CACHE_LINE = 100;
  private static final int LOOK = 20;
  private static final int CLOCK = 25;
  private static final int YIELD = 400;
  private static final int ARM = 300;
  private static final int RING = 2_000;

  /** A peer that computes for so long lets both ends learn to sleep. */
  private static final int SLOW = 500_000;

  private static final int SLOW_EXCHANGES = 2_000;

  private boolean young = true;
  private final Machine machine;
  private final Random random;

  private PairSimulation(Machine machine, long seed) {
    this.machine = machine;
    this.random = new Random(seed);
  }

  static Outcome run(Machine machine, int exchanges, long seed) throws IOException {
    return new PairSimulation(machine, seed).run(exchanges);
  }

  /** One of the two. */
  private final class End extends WaitClock implements Spinner.Condition {
    private long time = 1_000_000;
    private long arrival;
    private final Spinner spinner = new Spinner(new LoadSensor(2, () -> {}, this), MAX_SPIN, this);
    private long waits;
    private long sleeps;
    private long spun;

    @Override
    public long now() {
      time += CLOCK;
      return time;
    }

    @Override
    public void yieldCore() {
      double kind = random.nextDouble();
      if (kind < machine.longYields) {
        time += 100_000 + random.nextInt(2_000_000);
      } else if (kind < machine.longYields + machine.busyYields) {
        time += 3_000 + random.nextInt(10_000);
      } else {
        time += YIELD;
      }
    }

    @Override
    public boolean met() {
      time += LOOK;
      return time >= arrival;
    }

    /** Waits for what the peer has sent, and returns whether the peer had to ring. */
    boolean receive(long sent) throws IOException {
      arrival = sent + CACHE_LINE;
      waits++;
      long before = time;
      boolean awake = spinner.spin(this);
      spun += time - before;
      if (awake) {
        return false;
      }
      time += ARM;
      if (met()) {
        spinner.caught();
        return false;
      }
      sleeps++;
      time = arrival + RING + machine.wakeUp;
      spinner.slept();
      return true;
    }
  }

  private Outcome run(int exchanges) throws IOException {
    End here = new End();
    End there = new End();
    for (int i = 0; i < SLOW_EXCHANGES; i++) {
      exchange(here, there);
      exchange(there, here);
    }
    young = false;
    int recovered = exchanges;
    int good = 0;
    long started = 0;
    for (int i = 0; i < exchanges; i++) {
      if (i == exchanges / 2) {
        started = here.time;
        here.waits = here.sleeps = here.spun = 0;
        there.waits = there.sleeps = there.spun = 0;
      }
      long sleeps = here.sleeps + there.sleeps;
      exchange(here, there);
      exchange(there, here);
      good = here.sleeps + there.sleeps == sleeps ? good + 1 : 0;
      if (good == 16 && recovered == exchanges) {
        recovered = i;
      }
    }
    long time = here.time - started;
    return new Outcome(
        recovered,
        1 - (double) (here.sleeps + there.sleeps) / (here.waits + there.waits),
        time / (exchanges - exchanges / 2),
        (double) (here.spun + there.spun) / (2 * time));
  }

  private void exchange(End from, End to) throws IOException {
    long sent = from.time;
    if (to.receive(sent)) {
      from.time += RING;
    }
    to.time += young ? SLOW : machine.answer;
  }
}
