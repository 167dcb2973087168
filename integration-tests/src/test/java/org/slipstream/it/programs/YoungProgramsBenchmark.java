package org.slipstream.it.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.programs.Launches.Program;

/**
 * What the real programs do in their first seconds: operations per second in windows of two seconds
 * from the first operation on, of processes that were just started, on TCP and on Slipstream in
 * turns. Runs only when asked by name: {@code ./slipstream programs --young}.
 */
class YoungProgramsBenchmark {
  private static final int ROUNDS = Integer.getInteger("slipstream.programs.rounds", 5);
  private static final int WINDOWS = Integer.getInteger("slipstream.programs.windows", 6);
  private static final int WINDOW_MS = 2000;

  /** As programs run, not as tests do. */
  private static final List<String> JVM = List.of("-XX:TieredStopAtLevel=4", "-Xmx512m");

  private static final List<String> TABLE = new ArrayList<>(List.of(header(), ruler()));

  @RegisterExtension final Launches launches = new Launches();

  /** One pair of processes: operations per second in each window, and processor time of both. */
  private record Life(List<Double> perSecond, double cpuSeconds) {
    double operations() {
      return perSecond.stream().mapToDouble(Double::doubleValue).sum() * WINDOW_MS / 1000;
    }

    double cpuMicros() {
      return cpuSeconds * 1e6 / operations();
    }
  }

  private static String header() {
    StringBuilder line = new StringBuilder("| program | |");
    for (int i = 0; i < WINDOWS; i++) {
      line.append(" %d–%d s |".formatted(i * WINDOW_MS / 1000, (i + 1) * WINDOW_MS / 1000));
    }
    return line.append(" CPU, µs each |").toString();
  }

  private static String ruler() {
    return "|---".repeat(WINDOWS + 3) + "|";
  }

  @EachProgram
  void fromTheFirstOperationOn(String title, String program) throws Exception {
    Class<?> main = Class.forName(getClass().getPackageName() + "." + program);
    List<String> on = new ArrayList<>(JVM);
    on.addAll(launches.agent());
    List<Life> tcp = new ArrayList<>();
    List<Life> ring = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      System.err.printf("%s: turn %d of %d%n", title, i + 1, ROUNDS);
      if (i % 2 == 0) {
        tcp.add(life(JVM, main));
        ring.add(life(on, main));
      } else {
        ring.add(life(on, main));
        tcp.add(life(JVM, main));
      }
    }
    add(title, tcp, ring);
  }

  private Life life(List<String> flags, Class<?> main) throws Exception {
    Program server = launches.start(flags, main, "server");
    Program client = launches.start(flags, main, "load", server.await("ready"));
    client.await("ready");
    List<Double> perSecond = new ArrayList<>();
    for (int i = 0; i < WINDOWS; i++) {
      client.tell(Integer.toString(WINDOW_MS));
      String operations = client.await("measured").split(" ", 2)[0];
      perSecond.add(Double.parseDouble(operations) * 1000 / WINDOW_MS);
    }
    double cpu = cpuSeconds(server) + cpuSeconds(client);
    client.end();
    server.process().destroy();
    server.process().waitFor();
    return new Life(perSecond, cpu);
  }

  /** Fields 14 and 15 of the kernel's line, in ticks of 10 ms. */
  private static double cpuSeconds(Program program) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + program.process().pid() + "/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
  }

  private static void add(String title, List<Life> tcp, List<Life> ring) {
    List<String> rows = new ArrayList<>();
    StringBuilder off = new StringBuilder("| " + title + " | TCP |");
    StringBuilder on = new StringBuilder("| | Slipstream |");
    StringBuilder ratio = new StringBuilder("| | ratio |");
    for (int i = 0; i < WINDOWS; i++) {
      int window = i;
      double[] t = sorted(tcp, life -> life.perSecond.get(window));
      double[] r = sorted(ring, life -> life.perSecond.get(window));
      double[] ratios = new double[ROUNDS];
      for (int k = 0; k < ROUNDS; k++) {
        ratios[k] = ring.get(k).perSecond.get(window) / tcp.get(k).perSecond.get(window);
      }
      Arrays.sort(ratios);
      off.append(text("%.0f", t));
      on.append(text("%.0f", r));
      ratio.append(text("%.2f", ratios));
    }
    rows.add(off + text("%.0f", sorted(tcp, Life::cpuMicros)));
    rows.add(on + text("%.0f", sorted(ring, Life::cpuMicros)));
    rows.add(ratio + " |");
    rows.forEach(System.err::println);
    TABLE.addAll(rows);
  }

  private static double[] sorted(List<Life> lives, ToDoubleFunction<Life> figure) {
    return lives.stream().mapToDouble(figure).sorted().toArray();
  }

  /** Median, smallest and greatest. */
  private static String text(String format, double... sorted) {
    return String.format(
        Locale.ROOT,
        " " + format + " (" + format + "–" + format + ") |",
        sorted[sorted.length / 2],
        sorted[0],
        sorted[sorted.length - 1]);
  }

  @AfterAll
  static void print() throws IOException {
    System.out.println(String.join("\n", TABLE));
    Files.write(Path.of("target", "young-programs.md"), TABLE);
  }
}
