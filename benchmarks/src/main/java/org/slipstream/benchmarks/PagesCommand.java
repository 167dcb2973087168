package org.slipstream.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.driver.PageSetup;
import org.slipstream.benchmarks.driver.Pages;
import org.slipstream.benchmarks.driver.RowsFile;
import org.slipstream.benchmarks.pages.PageFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures random reads of a file through a server. */
@Command(
    name = "pages",
    description =
        "Measures random reads of a large file through a server: transferTo, and read and write,"
            + " on TCP and on Slipstream, from the page cache and past it.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
@SuppressWarnings("NullAway.Init") // picocli fills the fields in before anything runs
final class PagesCommand implements Callable<Integer> {
  private static final long MOST_FILE = 1L << 40;
  private static final int MOST_ANSWER = 64 << 20;
  private static final int MOST_CLIENTS = 10_000;

  @Option(
      names = "--sizes",
      paramLabel = "LIST",
      defaultValue = "4k,64k,1m",
      description = "Bytes of an answer, multiples of 4k (default: ${DEFAULT-VALUE}).")
  private String sizes;

  @Option(
      names = "--clients",
      paramLabel = "LIST",
      split = ",",
      defaultValue = "1,8,32,128",
      description =
          "Clients with a connection each and one request under way (default: ${DEFAULT-VALUE}).")
  private List<Integer> clients;

  @Option(
      names = "--serve",
      paramLabel = "LIST",
      split = ",",
      defaultValue = "transferTo,read",
      description = "How the server sends (default: ${DEFAULT-VALUE}).")
  private List<String> serve;

  @Option(
      names = "--carriers",
      paramLabel = "LIST",
      split = ",",
      defaultValue = "tcp,shm",
      description = "What carries the answers (default: ${DEFAULT-VALUE}).")
  private List<String> carriers;

  @Option(
      names = "--file",
      paramLabel = "LIST",
      split = ",",
      defaultValue = "cached,direct",
      description =
          "Reads from the page cache, and past it with O_DIRECT (default: ${DEFAULT-VALUE}).")
  private List<String> ways;

  @Option(
      names = "--file-size",
      paramLabel = "SIZE",
      defaultValue = "1g",
      description = "Bytes of the file, which is made first (default: ${DEFAULT-VALUE}).")
  private String fileSize;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Where the file is made (default: the directory for temporary files).")
  private @Nullable Path directory;

  @Option(names = "--check", description = "Compare every byte that comes; costs the clients time.")
  private boolean check;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "3",
      description = "Time for each row (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "6",
      description = "Turns into which that time is divided (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "5",
      description = "Time each pair runs before the first row (default: ${DEFAULT-VALUE}).")
  private double warmup;

  @Mixin private JsonOption json;

  @Option(
      names = "--no-pin",
      description = "Let the processes run anywhere (default: each on its own core by taskset).")
  private boolean noPin;

  @Option(
      names = "--jvm-arg",
      paramLabel = "ARG",
      description = "A further argument for the JVM of every program; may be repeated.")
  private List<String> jvmArguments = new ArrayList<>();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    RowsFile rows = json.file(spec);
    PageSetup setup;
    try {
      setup = setup();
    } catch (IllegalArgumentException bad) {
      throw new ParameterException(spec.commandLine(), bad.getMessage(), bad);
    }
    return new Pages(setup, spec.commandLine().getOut(), spec.commandLine().getErr()).run(rows);
  }

  private PageSetup setup() {
    List<Integer> answers = Sizes.parse(sizes);
    long bytes = Sizes.bytes("--file-size", fileSize, MOST_FILE);
    for (long length : answers) {
      require(length % PageFile.PAGE == 0, "--sizes must be multiples of 4k.");
      require(length <= bytes && length <= MOST_ANSWER, "--sizes must not be above --file-size.");
    }
    require(bytes % PageFile.PAGE == 0, "--file-size must be a multiple of 4k.");
    for (int n : clients) {
      require(n >= 1 && n <= MOST_CLIENTS, "--clients must be between 1 and 10000.");
    }
    require(rounds >= 1 && rounds <= 1000, "--rounds must be between 1 and 1000.");
    require(warmup >= 0 && warmup <= 3600, "--warmup must be between 0 and 3600.");
    require(
        seconds / rounds >= 0.02 && seconds <= 3600,
        "--seconds divided by --rounds must be at least 0.02, and --seconds at most 3600.");
    Path place = directory == null ? Path.of(System.getProperty("java.io.tmpdir")) : directory;
    require(
        Files.isDirectory(place) && Files.isWritable(place),
        "--directory: " + place + " is not a directory in which a file can be made.");
    List<PageSetup.Server> rows = rows();
    List<PageSetup.Way> chosen = ways();
    String jar = System.getProperty("slipstream.jar");
    require(
        jar != null || rows.stream().noneMatch(row -> row.carrier().usesAgent()),
        "Start this command with ./slipstream, which knows the agent, or leave shm out with"
            + " --carriers.");
    return new PageSetup(
        Path.of(jar == null ? "" : jar),
        jvmArguments,
        place,
        bytes,
        chosen,
        rows,
        answers,
        clients.stream().sorted().distinct().toList(),
        rounds,
        Math.round(seconds * 1000 / rounds),
        Math.round(warmup * 1000),
        check,
        !noPin);
  }

  private List<PageSetup.Server> rows() {
    for (String name : serve) {
      require(
          name.equals("transferTo") || name.equals("read"),
          "--serve: '" + name + "' is not transferTo or read.");
    }
    for (String name : carriers) {
      require(
          name.equals("tcp") || name.equals("shm"),
          "--carriers: '" + name + "' is not tcp or shm.");
    }
    return List.of(PageSetup.Server.values()).stream()
        .filter(row -> serve.contains(row.serve()) && carriers.contains(row.carrier().label()))
        .toList();
  }

  private List<PageSetup.Way> ways() {
    List<PageSetup.Way> known = List.of(PageSetup.Way.values());
    for (String name : ways) {
      require(
          known.stream().anyMatch(way -> way.label().equals(name.toLowerCase(Locale.ROOT))),
          "--file: '" + name + "' is not cached or direct.");
    }
    return known.stream().filter(way -> ways.contains(way.label())).toList();
  }

  private static void require(boolean condition, String sentence) {
    if (!condition) {
      throw new IllegalArgumentException(sentence);
    }
  }
}
