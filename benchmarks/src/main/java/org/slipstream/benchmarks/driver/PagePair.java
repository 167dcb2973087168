package org.slipstream.benchmarks.driver;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.pages.PageClient;
import org.slipstream.benchmarks.pages.PageServer;
import org.slipstream.benchmarks.programs.Report;

/** A server of pages and the process of its clients; both wait between their turns. */
final class PagePair implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final PageSetup.Server row;
  private final Child server;
  private final Child client;

  private PagePair(PageSetup.Server row, Child server, Child client) {
    this.row = row;
    this.server = server;
    this.client = client;
  }

  static PagePair start(
      PageSetup setup, Cores cores, PageSetup.Way way, PageSetup.Server row, Path file)
      throws BenchmarkFailure, InterruptedException {
    Carrier carrier = row.carrier();
    String name = carrier.label() + " " + row.serve() + " ";
    Child server =
        Child.start(
            name + "server",
            command(
                setup,
                carrier,
                cores.server(),
                PageServer.class,
                file.toString(),
                row.serve(),
                way.label()));
    try {
      String port = server.expect("ready ", PATIENCE).substring("ready ".length());
      Child client =
          Child.start(
              name + "client",
              command(
                  setup,
                  carrier,
                  cores.client(),
                  PageClient.class,
                  port,
                  Long.toString(setup.fileBytes()),
                  setup.check() ? "check" : "trust"));
      PagePair pair = new PagePair(row, server, client);
      try {
        client.expect("ready", PATIENCE, server);
      } catch (BenchmarkFailure | InterruptedException failure) {
        client.close();
        throw failure;
      }
      return pair;
    } catch (BenchmarkFailure | InterruptedException failure) {
      server.close();
      throw failure;
    }
  }

  private static List<String> command(
      PageSetup setup,
      Carrier carrier,
      @Nullable Integer core,
      Class<?> program,
      String... arguments) {
    List<String> command = new ArrayList<>(Cores.pinned(core));
    command.add(Launcher.javaCommand());
    if (carrier.usesAgent()) {
      command.add("-javaagent:" + setup.jar());
    }
    command.addAll(setup.jvmArguments());
    command.add("-cp");
    command.add(
        Stream.of(PageServer.class, Histogram.class)
            .map(Launcher::location)
            .distinct()
            .collect(Collectors.joining(File.pathSeparator)));
    command.add(program.getName());
    command.addAll(List.of(arguments));
    return command;
  }

  PageRow.Turn run(int size, int clients, long millis)
      throws BenchmarkFailure, InterruptedException {
    final long serverBefore = ProcessTime.nanos(server.pid());
    final long clientBefore = ProcessTime.nanos(client.pid());
    client.send("run " + size + " " + clients + " " + millis);
    Report report = Report.parse(client.expect("result ", PATIENCE.plusMillis(millis), server));
    return new PageRow.Turn(
        report,
        since(serverBefore, ProcessTime.nanos(server.pid())),
        since(clientBefore, ProcessTime.nanos(client.pid())));
  }

  /** Runs, and returns what part of that time the compilers of both processes worked. */
  double compiling(int size, int clients, long millis)
      throws BenchmarkFailure, InterruptedException {
    long before = compilers();
    long start = System.nanoTime();
    run(size, clients, millis);
    return (double) (compilers() - before) / (System.nanoTime() - start);
  }

  private long compilers() {
    return ProcessTime.compilers(server.pid()) + ProcessTime.compilers(client.pid());
  }

  private static long since(long before, long now) {
    return before < 0 || now < 0 ? -1 : now - before;
  }

  PageSetup.Server row() {
    return row;
  }

  List<Long> pids() {
    return List.of(server.pid(), client.pid());
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
