package org.slipstream.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.driver.MemoryCrowd;
import org.slipstream.benchmarks.driver.MemoryPrograms;
import org.slipstream.benchmarks.driver.MemoryReads;
import org.slipstream.benchmarks.driver.RowsFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** One-sided memory. */
@Command(
    name = "memory",
    description =
        "One-sided memory: 'bench' measures reads, 'crowd' many clients and many servers, 'sort' and"
            + " 'pagerank' two programs. ('./slipstream memory serve' lends memory.)",
    subcommands = {
      MemoryCommand.Bench.class,
      MemoryCommand.CrowdOfMemory.class,
      MemoryCommand.Sort.class,
      MemoryCommand.PageRank.class
    },
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
@SuppressWarnings("NullAway.Init") // picocli fills the fields in before anything runs
final class MemoryCommand implements Runnable {
  private static final Pattern RANGE = Pattern.compile("(\\d{1,4})(?:\\.\\.(\\d{1,4}))?");

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Say what to do: memory bench, crowd, sort, pagerank or serve.");
  }

  /** Measures reads. */
  @Command(
      name = "bench",
      description =
          "Measures reads of another process's memory of 8 B, 64 KiB and 1 MiB: through a queue, by"
              + " plain loads and memcpy over the same mapping, and as a request over a stream, on"
              + " the ring and on TCP, in turns; the CPU time of the owner meanwhile; and"
              + " reservations of 64 MiB from a memory server.",
      mixinStandardHelpOptions = true,
      sortOptions = false)
  @SuppressWarnings("NullAway.Init") // as above
  static final class Bench implements Callable<Integer> {
    private static final int MOST = 4096;
    private static final int MOST_SECONDS = 300;

    @Option(
        names = "--rounds",
        paramLabel = "N",
        defaultValue = "11",
        description = "Turns of each row; the median counts (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
        names = "--mebibytes",
        paramLabel = "N",
        defaultValue = "256",
        description = "The region, a power of two (default: ${DEFAULT-VALUE}).")
    private int mebibytes;

    @Option(
        names = "--seconds",
        paramLabel = "S",
        defaultValue = "60",
        description = "How long to read for the CPU time of the owner (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Mixin private JsonOption json;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException, IOException {
      if (!(seconds > 0 && seconds <= MOST_SECONDS)) {
        throw new ParameterException(
            spec.commandLine(), "--seconds needs a number up to " + MOST_SECONDS + ".");
      }
      if (rounds < 1 || mebibytes < 1 || mebibytes > MOST || Integer.bitCount(mebibytes) != 1) {
        throw new ParameterException(
            spec.commandLine(),
            "--rounds needs a positive number, --mebibytes a power of two up to " + MOST + ".");
      }
      RowsFile rows = json.file(spec); // a wrong name is said before anything is measured
      return new MemoryReads(
              jar(spec),
              new MemoryReads.Setup(rounds, (long) mebibytes << 20, seconds),
              spec.commandLine().getOut())
          .run(rows, spec.commandLine().getErr());
    }
  }

  private static Path jar(CommandSpec spec) {
    String jar = System.getProperty("slipstream.jar");
    if (jar == null) {
      throw new ParameterException(
          spec.commandLine(), "Start this command with ./slipstream, which knows the jar.");
    }
    return Path.of(jar);
  }

  /** Numbers such as 1,2,4 or 1..4. */
  static final class Numbers implements ITypeConverter<List<Integer>> {
    private static final int MOST = 1000;

    @Override
    public List<Integer> convert(String text) {
      List<Integer> all = new ArrayList<>();
      for (String part : text.split(",", -1)) {
        Matcher m = RANGE.matcher(part);
        if (!m.matches()) {
          throw new TypeConversionException("'" + text + "' is no list such as 1,2,4 or 1..4");
        }
        int first = Integer.parseInt(m.group(1));
        int last = m.group(2) == null ? first : Integer.parseInt(m.group(2));
        if (first < 1 || last < first || last > MOST) {
          throw new TypeConversionException("'" + text + "' has numbers that are not from 1 up");
        }
        for (int i = first; i <= last; i++) {
          all.add(i);
        }
      }
      return all;
    }
  }

  /** Many clients, and many servers. */
  @Command(
      name = "crowd",
      description =
          "Measures reads by many clients of one memory server, and by one client of many servers"
              + " over which its memory is striped: each a process.",
      mixinStandardHelpOptions = true,
      sortOptions = false)
  @SuppressWarnings("NullAway.Init") // as above
  static final class CrowdOfMemory implements Callable<Integer> {
    @Option(
        names = "--clients",
        paramLabel = "LIST",
        defaultValue = "1,10,100",
        converter = Numbers.class,
        description = "Numbers of clients of one server (default: ${DEFAULT-VALUE}).")
    private List<Integer> clients;

    @Option(
        names = "--servers",
        paramLabel = "LIST",
        defaultValue = "1,2,5,10",
        converter = Numbers.class,
        description = "Numbers of servers of one client (default: ${DEFAULT-VALUE}).")
    private List<Integer> servers;

    @Option(
        names = "--seconds",
        paramLabel = "S",
        defaultValue = "1",
        description = "How long each turn reads (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(
        names = "--rounds",
        paramLabel = "N",
        defaultValue = "5",
        description = "Turns of each row; the median counts (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Mixin private JsonOption json;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException, IOException {
      if (rounds < 1 || !(seconds > 0 && seconds <= 60)) {
        throw new ParameterException(
            spec.commandLine(), "--rounds needs a positive number, --seconds one up to 60.");
      }
      return new MemoryCrowd(
              jar(spec),
              new MemoryCrowd.Setup(clients, servers, seconds, rounds),
              spec.commandLine().getOut(),
              spec.commandLine().getErr())
          .run(json.file(spec));
    }
  }

  /** What the two programs have in common. */
  @SuppressWarnings("NullAway.Init") // as above
  abstract static class OfProgram implements Callable<Integer> {
    private static final int MOST_WORKERS = 64;

    @Option(
        names = "--workers",
        paramLabel = "LIST",
        defaultValue = "1..4",
        converter = Numbers.class,
        description = "Numbers of processes (default: ${DEFAULT-VALUE}).")
    private List<Integer> workers;

    @Option(
        names = "--rounds",
        paramLabel = "N",
        defaultValue = "7",
        description = "Turns of each team; the median counts (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
        names = "--warmup",
        paramLabel = "N",
        defaultValue = "3",
        description = "Turns before these, which do not count (default: ${DEFAULT-VALUE}).")
    private int warmups;

    @Option(
        names = "--jvm-arg",
        paramLabel = "ARG",
        description =
            "A further argument for the JVMs of streams on Slipstream, such as"
                + " -Dslipstream.ring.size=4m; may be repeated.")
    private List<String> jvmArgs = new ArrayList<>();

    @Mixin private JsonOption json;

    @Spec private CommandSpec spec;

    Integer run(String program, int size, int most, @Nullable Path graph)
        throws InterruptedException, IOException {
      if (graph != null && workers.size() != 1) {
        throw new ParameterException(
            spec.commandLine(), "--graph needs one number of --workers, whose graph it is.");
      }
      if (rounds < 1
          || warmups < 0
          || size < 1
          || size > most
          || workers.getLast() > MOST_WORKERS) {
        throw new ParameterException(
            spec.commandLine(),
            "--rounds and the size need positive numbers, --warmup none below 0, the size one up to "
                + most
                + ", --workers numbers up to "
                + MOST_WORKERS
                + ".");
      }
      return new MemoryPrograms(
              jar(spec),
              new MemoryPrograms.Setup(program, workers, size, warmups, rounds, graph, jvmArgs),
              spec.commandLine().getOut(),
              spec.commandLine().getErr())
          .run(json.file(spec));
    }
  }

  /** Sorts. */
  @Command(
      name = "sort",
      description =
          "Sorts records of the sort benchmark in several processes, over remote memory, over"
              + " streams on Slipstream and over TCP, in turns; each output is checked.",
      mixinStandardHelpOptions = true,
      sortOptions = false)
  @SuppressWarnings("NullAway.Init") // as above
  static final class Sort extends OfProgram {
    @Option(
        names = "--records",
        paramLabel = "N",
        defaultValue = "400000",
        description = "Records of 100 bytes of each process (default: ${DEFAULT-VALUE}).")
    private int records;

    @Override
    public Integer call() throws InterruptedException, IOException {
      return run("sort", records, 1 << 22, null);
    }
  }

  /** Ranks. */
  @Command(
      name = "pagerank",
      description =
          "Ranks the vertices of an R-MAT graph in several processes, in 32 supersteps, over remote"
              + " memory, over streams on Slipstream and over TCP, in turns; each output is"
              + " checked.",
      mixinStandardHelpOptions = true,
      sortOptions = false)
  @SuppressWarnings("NullAway.Init") // as above
  static final class PageRank extends OfProgram {
    @Option(
        names = "--vertices",
        paramLabel = "N",
        defaultValue = "32768",
        description =
            "Vertices of each process, with 16 edges each on average (default: ${DEFAULT-VALUE}).")
    private int vertices;

    @Option(
        names = "--graph",
        paramLabel = "FILE",
        description =
            "Write the edges to this file, for './slipstream servers --only PageRank --graph FILE"
                + " spark', which ranks the same graph.")
    private @Nullable Path graph;

    @Override
    public Integer call() throws InterruptedException, IOException {
      return run("pagerank", vertices, 1 << 20, graph);
    }
  }
}
