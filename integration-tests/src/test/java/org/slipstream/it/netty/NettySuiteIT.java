package org.slipstream.it.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.it.netty.SuiteRun.Outcome;
import org.slipstream.testkit.FullListener;
import org.slipstream.testkit.StockCarrier;

/**
 * Netty's own socket tests over both ways in, on the plain carrier and on shared memory, next to
 * Netty NIO on the stock JDK: every test must end as it does there.
 */
@Timeout(900)
class NettySuiteIT {

  /** Tests that are not compared, by the beginning of their names, with the reason for each. */
  private static final Map<String, String> EXCLUSIONS =
      Map.of(
          "SocketHalfClosed.testAllDataReadEventTriggeredAfterHalfClosure",
          "wants the end of the input noticed without a read; Netty leaves it out for NIO, and our"
              + " channel notices the end as NIO does",
          "TrafficShapingHandler",
          "not run: the first run shuts down its static executors; it tests a handler, and no"
              + " transport",
          "SocketSslLargeCertificate",
          "not run: brings event loops of its own, and so takes no transport");

  @Test
  void everyTestEndsAsOnTheStockJdk() throws IOException {
    try (FullListener host = new FullListener(new StockCarrier())) {
      // Netty's own default for a host that does not answer is somewhere in the Internet.
      System.setProperty("io.netty.testsuite.badHost", host.address().getHostString());
      System.setProperty("io.netty.testsuite.badPort", "" + host.address().getPort());
      runAndCompare();
    }
  }

  /** Whether a class of the suite is one of this half: {@link NettyTlsSuiteIT} has the others. */
  boolean takes(Class<?> test) {
    return !isOfTls(test);
  }

  /** Half of the time goes into TLS. */
  static boolean isOfTls(Class<?> test) {
    return test.getSimpleName().matches(".*(Ssl|Tls).*");
  }

  /** Fewer tests of this half would have compared nothing. */
  int leastPassed() {
    return 55;
  }

  private void runAndCompare() {
    List<Class<?>> classes = SuiteRun.classes().stream().filter(this::takes).toList();
    List<SuiteRun> runs = new ArrayList<>();
    for (Supplier<NettyRow> row :
        List.<Supplier<NettyRow>>of(
            NettyRow::stock,
            NettyRow::nioPlain,
            NettyRow::nioShm,
            NettyRow::ownPlain,
            NettyRow::ownShm)) {
      runs.add(SuiteRun.of(row.get(), classes));
    }
    print(runs);
    SuiteRun stock = runs.getFirst();
    assertThat(stock.count(Outcome.PASSED))
        .as("tests that pass on the stock JDK")
        .isGreaterThan(leastPassed());
    for (SuiteRun run : runs) {
      for (String test : compared(stock)) {
        Outcome expected = stock.outcomes().get(test);
        assertThat(expected).as("%s on the stock JDK", test).isNotEqualTo(Outcome.FAILED);
        assertThat(run.outcomes().get(test)).as("%s over %s", test, run.row()).isEqualTo(expected);
      }
      if (run.row().isAccelerated()) {
        assertThat(run.row().ringBytes()).as("%s: ring bytes", run.row()).isGreaterThan(10_000_000);
      } else {
        assertThat(run.row().ringBytes()).as("%s: ring bytes", run.row()).isZero();
      }
    }
  }

  private static Set<String> compared(SuiteRun stock) {
    Set<String> names = new TreeSet<>(stock.outcomes().keySet());
    names.removeIf(name -> EXCLUSIONS.keySet().stream().anyMatch(name::startsWith));
    return names;
  }

  private static void print(List<SuiteRun> runs) {
    System.out.printf(
        "%-30s %7s %7s %8s %8s %12s %14s%n",
        "Netty's socket tests over",
        "passed",
        "failed",
        "skipped",
        "seconds",
        "connections",
        "ring bytes");
    for (SuiteRun run : runs) {
      System.out.printf(
          "%-30s %7d %7d %8d %8d %12d %14d%n",
          run.row(),
          run.count(Outcome.PASSED),
          run.count(Outcome.FAILED),
          run.count(Outcome.SKIPPED),
          run.seconds(),
          run.row().connections(),
          run.row().ringBytes());
    }
    EXCLUSIONS.forEach(
        (test, reason) -> System.out.println("not compared: " + test + ": " + reason));
    for (SuiteRun run : runs) {
      run.failures().forEach(failure -> System.out.println(run.row() + ": " + failure));
    }
    System.out.println("Longest classes over " + runs.getLast().row() + ":");
    runs.getLast().slowest().forEach(System.out::println);
  }
}
