package org.slipstream.benchmarks.driver;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.programs.Report;

/**
 * One line of the table of pages; a figure that does not exist is NaN.
 *
 * @param way where the file's bytes come from
 * @param server the carrier, and how the server sends
 * @param size bytes of an answer
 * @param clients connections at work
 * @param p50 nanoseconds from request to last byte: median of the rounds' medians
 * @param time the rounds' smallest and largest median
 * @param p99 nanoseconds, of all rounds together
 * @param perSecond answers a second: median of the rounds
 * @param rate the rounds' smallest and largest rate
 * @param serverCpu nanoseconds of the server's process for each answer
 * @param clientCpu nanoseconds of the clients' process for each answer
 * @param core the rounds' smallest and largest number of answers for a second of the server's CPU
 *     time
 * @param perCoreToSendfile answers for a second of the server's CPU time, as a multiple of those of
 *     TCP with sendfile: median of the rounds' ratios
 * @param timeToSendfile p50 as a multiple of that of TCP with sendfile: the same
 * @param complaint why this row is not what it claims to be, or null
 */
record PageRow(
    PageSetup.Way way,
    PageSetup.Server server,
    int size,
    int clients,
    double p50,
    Row.Spread time,
    double p99,
    double perSecond,
    Row.Spread rate,
    double serverCpu,
    double clientCpu,
    Row.Spread core,
    double perCoreToSendfile,
    double timeToSendfile,
    @Nullable String complaint) {
  private static final double SECOND = 1e9;

  /**
   * What one turn was like.
   *
   * @param report what the clients saw
   * @param serverCpu nanoseconds of the server's process, or -1 if unknown
   * @param clientCpu the same of the clients' process
   */
  record Turn(Report report, long serverCpu, long clientCpu) {
    double perSecond() {
      return report.count() * SECOND / report.nanos();
    }

    double median() {
      return report.histogram().getValueAtPercentile(50);
    }

    double serverCpuEach() {
      return serverCpu <= 0 ? Double.NaN : (double) serverCpu / report.exchanges();
    }
  }

  /** Sums turns up; the n-th turns of both lists were neighbours in time. */
  static PageRow of(
      PageSetup.Way way,
      PageSetup.Server server,
      int size,
      int clients,
      List<Turn> turns,
      List<Turn> sendfile,
      @Nullable String complaint) {
    Histogram all = Report.newHistogram();
    turns.forEach(turn -> all.add(turn.report.histogram()));
    List<Double> rates = turns.stream().map(Turn::perSecond).toList();
    List<Double> medians = turns.stream().map(Turn::median).toList();
    double p50 = Statistics.median(medians);
    long answers = turns.stream().mapToLong(turn -> turn.report.exchanges()).sum();
    List<Double> perCore = new ArrayList<>();
    List<Double> time = new ArrayList<>();
    for (int i = 0; i < Math.min(turns.size(), sendfile.size()); i++) {
      perCore.add(sendfile.get(i).serverCpuEach() / turns.get(i).serverCpuEach());
      time.add(turns.get(i).median() / sendfile.get(i).median());
    }
    return new PageRow(
        way,
        server,
        size,
        clients,
        p50,
        Statistics.spread(medians),
        Math.max(p50, (double) all.getValueAtPercentile(99)),
        Statistics.median(rates),
        Statistics.spread(rates),
        each(turns.stream().map(Turn::serverCpu).toList(), answers),
        each(turns.stream().map(Turn::clientCpu).toList(), answers),
        Statistics.spread(turns.stream().map(turn -> SECOND / turn.serverCpuEach()).toList()),
        Statistics.median(perCore),
        Statistics.median(time),
        complaint);
  }

  /** Ticks are coarse, so only the sums over all turns are divided. */
  private static double each(List<Long> nanos, long answers) {
    return nanos.stream().anyMatch(n -> n < 0)
        ? Double.NaN
        : nanos.stream().mapToDouble(Long::doubleValue).sum() / answers;
  }

  double bytesPerSecond() {
    return perSecond * size;
  }

  /** Answers for a second of the server's CPU time. */
  double perCore() {
    return SECOND / serverCpu;
  }
}
