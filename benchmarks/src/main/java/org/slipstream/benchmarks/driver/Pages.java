package org.slipstream.benchmarks.driver;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.pages.PageFile;

/**
 * Random reads of a large file through a server: with {@code transferTo} and with read and write,
 * on TCP and on Slipstream, from the page cache and past it. All pairs live at once and take turns.
 */
public final class Pages {
  /** New sizes and numbers of clients take new paths through the code. */
  private static final long WARMUP_MILLIS = 300;

  private static final int MOST_LOOKS = 20;

  /** Compilers that work for less of the time are ready, as far as ticks of 10 ms tell. */
  private static final double COMPILED = 0.1;

  /** The longest wait for compilers, in short warm-ups; and no longer than the first one was. */
  private static final int MOST_COMPILED = 5;

  private final PageSetup setup;
  private final PrintWriter out;
  private final PrintWriter err;
  private final CarrierCheck check;
  private final List<PagePair> pairs = new ArrayList<>();
  private final List<PageRow> rows = new ArrayList<>();

  /** Prepares a run that prints its table there and its progress and troubles there. */
  public Pages(PageSetup setup, PrintWriter out, PrintWriter err) {
    this.setup = setup;
    this.out = out;
    this.err = err;
    this.check =
        setup.rows().stream().anyMatch(row -> row.carrier().isAccelerated())
            ? PsCarrierCheck.ofJar(setup.jar())
            : pids -> Optional.empty();
  }

  /** Makes the file, measures, prints and writes; returns the exit code. */
  public int run(@Nullable RowsFile json) throws InterruptedException {
    try {
      Path file = Files.createTempFile(setup.directory(), "slipstream-pages", ".bin");
      try {
        file.toFile().deleteOnExit(); // also if the run is interrupted
        make(file);
        measure(file);
      } finally {
        pairs.forEach(PagePair::close);
        Files.deleteIfExists(file);
      }
      PageReport.foot(out, rows);
      if (json != null) {
        json.write(rows.stream().map(PageReport::object));
      }
    } catch (BenchmarkFailure failure) {
      say(failure.getMessage());
      return Benchmark.FAILED;
    } catch (IOException trouble) {
      say("A file could not be written: " + trouble);
      return Benchmark.FAILED;
    }
    if (rows.stream().anyMatch(row -> row.complaint() != null)) {
      say("The rows marked with ! did not run over the ring, so they prove nothing.");
      return Benchmark.NOT_ON_RING;
    }
    return Benchmark.OK;
  }

  private void say(@Nullable String line) {
    err.println(line);
    err.flush();
  }

  private void make(Path file) throws IOException {
    long mib = setup.fileBytes() >> 20;
    say("pages: making a file of " + mib + " MiB in " + setup.directory() + " ...");
    long start = System.nanoTime();
    PageFile.write(file, setup.fileBytes());
    say("pages: made in %.1f s".formatted((System.nanoTime() - start) / 1e9));
  }

  private void measure(Path file) throws BenchmarkFailure, InterruptedException {
    Cores cores = Cores.choose(setup.pin());
    out.printf(
        "Random reads of a file of %,d MiB, %d rounds of %.2f s a row%s;%n%s.%n%n",
        setup.fileBytes() >> 20,
        setup.rounds(),
        setup.turnMillis() / 1e3,
        setup.check() ? ", every byte compared" : "",
        cores.description());
    PageReport.head(out);
    for (PageSetup.Way way : setup.ways()) {
      String refusal = way == PageSetup.Way.DIRECT ? refusal(file) : null;
      if (refusal != null) {
        say(
            "pages: no direct rows: the file system of %s refuses O_DIRECT: %s"
                .formatted(setup.directory(), refusal));
        continue;
      }
      for (PageSetup.Server row : setup.rows()) {
        say(
            "pages: %s: warming up %s %s"
                .formatted(way.label(), row.carrier().label(), row.serve()));
        PagePair pair = PagePair.start(setup, cores, way, row, file);
        pairs.add(pair);
        pair.run(setup.sizes().getFirst(), setup.clients().getFirst(), setup.warmupMillis());
      }
      for (int clients : setup.clients()) {
        for (int size : setup.sizes()) {
          say("pages: %s, %s, clients: %d".formatted(way.label(), Figures.size(size), clients));
          List<PageRow> some = measure(way, size, clients);
          PageReport.rows(out, some);
          rows.addAll(some);
        }
      }
      pairs.forEach(PagePair::close);
      pairs.clear();
    }
  }

  private static @Nullable String refusal(Path file) {
    try (FileChannel direct = PageFile.open(file, true)) {
      direct.size();
      return null;
    } catch (IOException | UnsupportedOperationException refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  private List<PageRow> measure(PageSetup.Way way, int size, int clients)
      throws BenchmarkFailure, InterruptedException {
    List<Measured> measured = new ArrayList<>();
    for (PagePair pair : pairs) {
      measured.add(new Measured(pair, new ArrayList<>()));
      pair.run(size, clients, warmupMillis());
    }
    settle(size, clients);
    compile(size, clients);
    for (int round = 0; round < setup.rounds(); round++) {
      // There and back again, so that a drift of the machine hits all rows alike.
      for (Measured one : round % 2 == 0 ? measured : measured.reversed()) {
        one.turns.add(one.pair.run(size, clients, setup.turnMillis()));
      }
    }
    Map<PageSetup.Server, String> complaints = verify();
    List<PageRow.Turn> sendfile =
        measured.stream()
            .filter(one -> one.pair.row() == PageSetup.Server.TCP_TRANSFER)
            .findFirst()
            .map(Measured::turns)
            .orElse(List.of());
    return measured.stream()
        .map(one ->
            PageRow.of(
                way,
                one.pair.row(),
                size,
                clients,
                one.turns,
                sendfile,
                complaints.get(one.pair.row())))
        .toList();
  }

  /** New connections begin on TCP: what travels from here on has to travel over the ring. */
  private void settle(int size, int clients) throws BenchmarkFailure, InterruptedException {
    for (int look = 0; look < MOST_LOOKS; look++) {
      Map<PageSetup.Server, String> complaints = verify();
      if (complaints.isEmpty()) {
        return;
      }
      for (PagePair pair : pairs) {
        if (complaints.containsKey(pair.row())) {
          pair.run(size, clients, warmupMillis());
        }
      }
    }
  }

  /**
   * Waits for the compilers of all pairs. They share the core of the program: while they work, its
   * waits give the core away for a time slice, so they end in a sleep as on TCP, and what they use
   * counts as the program's. All pairs share the two cores, so none may go on while another one is
   * measured.
   */
  private void compile(int size, int clients) throws BenchmarkFailure, InterruptedException {
    List<PagePair> busy = pairs;
    long most = Math.min(MOST_COMPILED, setup.warmupMillis() / warmupMillis());
    for (int look = 0; look < most && !busy.isEmpty(); look++) {
      List<PagePair> still = new ArrayList<>();
      for (PagePair pair : busy) {
        if (pair.compiling(size, clients, warmupMillis()) > COMPILED) {
          still.add(pair);
        }
      }
      busy = still;
    }
    for (PagePair pair : most == 0 ? List.<PagePair>of() : busy) {
      say(
          "pages: %s %s still compiles, which its row contains"
              .formatted(pair.row().carrier().label(), pair.row().serve()));
    }
  }

  private long warmupMillis() {
    return Math.min(WARMUP_MILLIS, 2 * setup.turnMillis());
  }

  private Map<PageSetup.Server, String> verify() throws InterruptedException {
    Map<PageSetup.Server, String> complaints = new EnumMap<>(PageSetup.Server.class);
    for (PagePair pair : pairs) {
      if (pair.row().carrier().isAccelerated()) {
        check.verify(pair.pids()).ifPresent(complaint -> complaints.put(pair.row(), complaint));
      }
    }
    return complaints;
  }

  /** A pair and its turns of one size and number of clients. */
  private record Measured(PagePair pair, List<PageRow.Turn> turns) {}
}
