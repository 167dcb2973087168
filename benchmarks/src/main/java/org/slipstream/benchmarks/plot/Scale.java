package org.slipstream.benchmarks.plot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The vertical axis: from zero, or logarithmic.
 *
 * @param logarithmic which of them
 * @param first the value at its foot
 * @param last the value at its head
 * @param ticks values that are labelled, rising
 */
record Scale(boolean logarithmic, double first, double last, List<Double> ticks) {
  /** Steps that people count in. */
  private static final double[] STEPS = {1, 2, 5, 10};

  private static final int MOST_TICKS = 6;

  /** With fewer powers of ten than this, there are ticks between them. */
  private static final int FEW_POWERS = 3;

  /** So little is a fault of rounding, and no reason for another step. */
  private static final double ROUNDING = 1e-9;

  /** Holds all of these, which are not negative. */
  static Scale fromZero(double[] values) {
    double most = Arrays.stream(values).max().orElse(1);
    double step = stepFrom(most > 0 ? most / (MOST_TICKS - 1) : 1);
    int steps = Math.max(1, (int) Math.ceil(most / step - ROUNDING));
    List<Double> ticks = new ArrayList<>();
    for (int i = 0; i <= steps; i++) {
      ticks.add(i * step);
    }
    return new Scale(false, 0, steps * step, ticks);
  }

  /** Holds all of these, which are positive. */
  static Scale logarithmic(double[] low, double[] high) {
    double first = stepUpTo(Arrays.stream(low).min().orElse(1));
    double last = stepFrom(Arrays.stream(high).max().orElse(1));
    if (last <= first) {
      last = stepFrom(first * 1.5);
    }
    List<Double> all = new ArrayList<>();
    List<Double> powers = new ArrayList<>();
    for (double power = powerUpTo(first); power <= last * (1 + ROUNDING); power *= 10) {
      for (double step : STEPS) {
        double tick = power * step;
        if (step < 10 && tick >= first * (1 - ROUNDING) && tick <= last * (1 + ROUNDING)) {
          all.add(tick);
          if (step == 1) {
            powers.add(tick);
          }
        }
      }
    }
    return new Scale(true, first, last, powers.size() < FEW_POWERS ? all : powers);
  }

  private static double powerUpTo(double value) {
    double power = Math.pow(10, Math.floor(Math.log10(value)));
    return power > value ? power / 10 : power;
  }

  private static double stepFrom(double value) {
    double power = powerUpTo(value);
    for (double step : STEPS) {
      if (step * power >= value * (1 - ROUNDING)) {
        return step * power;
      }
    }
    return 10 * power;
  }

  private static double stepUpTo(double value) {
    double power = powerUpTo(value);
    double found = power;
    for (double step : STEPS) {
      if (step * power <= value * (1 + ROUNDING)) {
        found = step * power;
      }
    }
    return found;
  }

  /** Returns how high a value is: 0 is the foot, and 1 the head. */
  double at(double value) {
    return logarithmic
        ? (Math.log(value) - Math.log(first)) / (Math.log(last) - Math.log(first))
        : value / last;
  }
}
