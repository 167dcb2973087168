package org.slipstream.agent.fabric;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.slipstream.agent.fabric.FabricOutcome.Figures;
import org.slipstream.agent.fabric.FabricOutcome.State;
import org.slipstream.agent.fabric.FabricOutcome.Way;

/** What the figures come to: a sentence for each transport, and the exit code. */
final class Verdict {
  static final int AS_EXPECTED = 0;
  static final int NOT_AS_EXPECTED = 1;

  /** Not 2: that is picocli's own code for a wrong command line. */
  static final int NO_CHECK = 3;

  private Verdict() {}

  /**
   * The exit code.
   *
   * @param expected names of transports; empty = each that both ends have, and one at least
   */
  static int code(FabricOutcome outcome, List<String> expected) {
    List<Way> wanted =
        outcome.transports().stream()
            .filter(way ->
                expected.isEmpty() ? isAtBothEnds(way.state()) : expected.contains(way.name()))
            .toList();
    boolean all =
        wanted.size() >= Math.max(1, expected.stream().distinct().count())
            && wanted.stream().allMatch(way -> way.state() == State.CARRIES);
    return all ? AS_EXPECTED : NOT_AS_EXPECTED;
  }

  private static boolean isAtBothEnds(State state) {
    return switch (state) {
      case CARRIES, DOES_NOT_JOIN, BROKE -> true;
      case MISSING, NOT_FOR_THIS -> false;
    };
  }

  /** One sentence about a way; {@code !} where something that both ends have does not work. */
  static String of(FabricOutcome outcome, Way way) {
    return switch (way.state()) {
      case CARRIES -> carries(outcome, way);
      case MISSING -> "not available: " + way.why();
      case NOT_FOR_THIS -> "not for this: it " + way.why();
      case DOES_NOT_JOIN -> "! both ends have it, and it does not join them: " + way.why();
      case BROKE -> "! it joined the two ends and broke: " + way.why();
    };
  }

  private static String carries(FabricOutcome outcome, Way way) {
    Figures own = Objects.requireNonNull(way.figures());
    Figures tcp = Objects.requireNonNull(outcome.tcp().figures());
    if (way.equals(outcome.tcp())) {
      return "reaches " + outcome.server();
    }
    return String.format(
        Locale.ROOT,
        "carries both directions: %d bytes there and back in %.2f of TCP's time, a stream at %.2f"
            + " of its rate",
        own.cells().getFirst().bytes(),
        ratio(own, tcp, 0),
        rateRatio(own, tcp));
  }

  /** How many times as long as TCP a round trip takes. */
  static double ratio(Figures own, Figures tcp, int size) {
    return (double) own.cells().get(size).medianNanos()
        / Math.max(1, tcp.cells().get(size).medianNanos());
  }

  /** How many times as fast as TCP a stream is. */
  static double rateRatio(Figures own, Figures tcp) {
    return own.bytesPerSecond() / Math.max(1, tcp.bytesPerSecond());
  }

  static String overall(FabricOutcome outcome, int code) {
    List<String> carry =
        outcome.transports().stream()
            .filter(way -> way.state() == State.CARRIES)
            .map(Way::name)
            .toList();
    if (carry.isEmpty()) {
      return "only TCP joins the two ends";
    }
    return String.join(" and ", carry)
        + (carry.size() == 1 ? " joins" : " join")
        + " the two ends"
        + (code == AS_EXPECTED ? "" : ", but not all that was expected does; see the lines with !");
  }
}
