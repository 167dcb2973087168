package org.slipstream.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.process.StreamLine;
import org.slipstream.it.programs.Launches.Program;

/**
 * Measures the real programs on TCP and on Slipstream, side by side, and prints the table of
 * docs/PROGRAMS.md. Runs only when asked by name: {@code ./slipstream programs}.
 */
class ProgramsBenchmark {
  private static final int ROUNDS = Integer.getInteger("slipstream.programs.rounds", 7);
  private static final int WINDOW_MS = 1000;
  private static final int WARM_UP_MS = 3000;

  /** As programs run, not as tests do. */
  private static final List<String> JVM = List.of("-XX:TieredStopAtLevel=4", "-Xmx512m");

  private static final List<String> TABLE =
      new ArrayList<>(
          List.of(
              "| program | tcp, 1/s | slipstream, 1/s | ratio | p99 tcp | p99 slipstream | ratio |"
                  + " on the ring | repeated, tcp and slipstream |",
              "|---|---|---|---|---|---|---|---|---|"));

  @RegisterExtension final Launches launches = new Launches();

  /** One window: operations a second, nanoseconds, and operations that had to be repeated. */
  private record Window(double perSecond, double p99, long repeated) {
    static Window of(Program client, int millis) throws Exception {
      client.tell(Integer.toString(millis));
      String[] figures = client.await("measured").split(" ", -1);
      return new Window(
          Double.parseDouble(figures[0]) * 1000 / millis,
          Double.parseDouble(figures[2]),
          Long.parseLong(figures[3]));
    }
  }

  /** Median, smallest and greatest. */
  private record Spread(double median, double least, double most) {
    static Spread of(List<Window> windows, ToDoubleFunction<Window> figure) {
      return of(windows.stream().mapToDouble(figure).toArray());
    }

    static Spread of(double... values) {
      double[] sorted = values.clone();
      java.util.Arrays.sort(sorted);
      return new Spread(sorted[sorted.length / 2], sorted[0], sorted[sorted.length - 1]);
    }

    String text(String format) {
      return String.format(
          Locale.ROOT, format + " (" + format + "–" + format + ")", median, least, most);
    }
  }

  @EachProgram
  void sideBySide(String title, String program) throws Exception {
    Class<?> main = Class.forName(getClass().getPackageName() + "." + program);
    Program tcp = client(JVM, main);
    List<String> on = new ArrayList<>(JVM);
    on.addAll(launches.agent());
    Program ring = client(on, main);
    Window.of(tcp, WARM_UP_MS);
    Window.of(ring, WARM_UP_MS);
    List<Window> tcpWindows = new ArrayList<>();
    List<Window> ringWindows = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      if (i % 2 == 0) {
        tcpWindows.add(Window.of(tcp, WINDOW_MS));
        ringWindows.add(Window.of(ring, WINDOW_MS));
      } else {
        ringWindows.add(Window.of(ring, WINDOW_MS));
        tcpWindows.add(Window.of(tcp, WINDOW_MS));
      }
    }
    double share = share();
    assertThat(share).as("the ring's share of the bytes").isGreaterThan(0.5);
    TABLE.add(row(title, tcpWindows, ringWindows, share));
  }

  private Program client(List<String> flags, Class<?> main) throws Exception {
    Program server = launches.start(flags, main, "server");
    Program client = launches.start(flags, main, "load", server.await("ready"));
    client.await("ready");
    return client;
  }

  private double share() throws Exception {
    List<StreamLine> streams = launches.ps();
    double onRing = streams.stream().mapToLong(StreamLine::ringBytes).sum();
    return onRing / (onRing + streams.stream().mapToLong(StreamLine::plainBytes).sum());
  }

  private static String row(String title, List<Window> tcp, List<Window> ring, double share) {
    double[] rates = new double[tcp.size()];
    double[] tails = new double[tcp.size()];
    for (int i = 0; i < rates.length; i++) {
      rates[i] = ring.get(i).perSecond / tcp.get(i).perSecond;
      tails[i] = tcp.get(i).p99 / ring.get(i).p99;
    }
    return String.join(
        " | ",
        "| " + title,
        Spread.of(tcp, Window::perSecond).text("%.0f"),
        Spread.of(ring, Window::perSecond).text("%.0f"),
        Spread.of(rates).text("%.2f"),
        Spread.of(tcp, w -> w.p99 / 1e6).text("%.2f") + " ms",
        Spread.of(ring, w -> w.p99 / 1e6).text("%.2f") + " ms",
        Spread.of(tails).text("%.2f"),
        String.format(Locale.ROOT, "%.1f %%", 100 * share),
        repeated(tcp) + ", " + repeated(ring) + " |");
  }

  private static long repeated(List<Window> windows) {
    return windows.stream().mapToLong(Window::repeated).sum();
  }

  @AfterAll
  static void print() throws IOException {
    System.out.println(String.join("\n", TABLE));
    Files.write(Path.of("target", "programs.md"), TABLE);
  }
}
