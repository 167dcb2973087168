package org.slipstream.benchmarks.driver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.programs.StartProgram;

/**
 * New processes in turns: how long until {@code main} runs, how long the first connect with one
 * exchange takes, and the CPU time of the process until then. The server is this process.
 */
public final class Starts {
  private static final List<String> KINDS = List.of("channel", "socket");

  private final Path jar;
  private final List<String> jvmArguments;
  private final int rounds;
  private final PrintWriter out;

  /**
   * One process.
   *
   * @param main nanoseconds until {@code main}
   * @param connect of the first connect and exchange
   * @param cpu of the process until the exchange was done
   */
  record Start(double main, double connect, double cpu) {}

  /**
   * How processes are started.
   *
   * @param label of the row
   * @param agent whether Slipstream is on
   * @param cache an AOT cache, or none if it is empty
   */
  private record Row(String label, boolean agent, String cache) {}

  /** What the processes of a row have in common: the kind of socket, and how they are started. */
  record Key(String kind, String row) {}

  /**
   * Prepares runs.
   *
   * @param jar Slipstream
   * @param jvmArguments for each process
   * @param rounds processes of each row and kind of socket
   */
  public Starts(Path jar, List<String> jvmArguments, int rounds, PrintWriter out) {
    this.jar = jar;
    this.jvmArguments = List.copyOf(jvmArguments);
    this.rounds = rounds;
    this.out = out;
  }

  /** Measures all rows; returns the exit code. */
  public int run(@Nullable RowsFile json, PrintWriter err) throws InterruptedException {
    @Nullable Path directory = null;
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread.ofPlatform().daemon().start(() -> echo(server));
      directory = Files.createTempDirectory("slipstream-start");
      List<Row> rows =
          List.of(
              new Row("stock", false, ""),
              new Row("Slipstream", true, ""),
              new Row("stock, AOT", false, directory.resolve("stock.aot").toString()),
              new Row("Slipstream, AOT", true, directory.resolve("slipstream.aot").toString()));
      for (Row row : rows) {
        if (!row.cache.isEmpty()) {
          train(row, server.getLocalPort());
        }
      }
      Map<Key, List<Start>> starts = new LinkedHashMap<>();
      for (int round = 0; round < rounds; round++) {
        for (String kind : KINDS) {
          for (Row row : rows) {
            starts
                .computeIfAbsent(new Key(kind, row.label), k -> new ArrayList<>())
                .add(start(row, kind, server.getLocalPort()));
          }
        }
      }
      print(starts);
      if (json != null) {
        json.write(starts.entrySet().stream().map(e -> object(e.getKey(), e.getValue())));
      }
      return 0;
    } catch (BenchmarkFailure | IOException e) {
      err.println(e.getMessage());
      err.flush();
      return 1;
    } finally {
      remove(directory);
    }
  }

  private static void remove(@Nullable Path directory) {
    if (directory == null) {
      return;
    }
    for (String name : List.of("stock.aot", "slipstream.aot", "")) {
      if (!directory.resolve(name).toFile().delete() && name.isEmpty()) {
        directory.toFile().deleteOnExit();
      }
    }
  }

  /** Answers what comes. */
  private static void echo(ServerSocket server) {
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        socket.setTcpNoDelay(true);
        socket.getInputStream().transferTo(socket.getOutputStream());
      } catch (IOException ended) {
        // The program is gone; the next one comes.
      }
    }
  }

  private List<String> command(Row row, String kind, int port, String option) {
    List<String> command = new ArrayList<>(List.of(Launcher.javaCommand()));
    if (row.agent) {
      command.add("-javaagent:" + jar);
    }
    if (!row.cache.isEmpty()) {
      command.add(option + row.cache);
    }
    command.addAll(jvmArguments);
    command.add("-cp");
    command.add(Launcher.location(StartProgram.class));
    command.add(StartProgram.class.getName());
    command.addAll(List.of(kind, Integer.toString(port)));
    return command;
  }

  /** Makes the cache. */
  private void train(Row row, int port) throws IOException, InterruptedException, BenchmarkFailure {
    ProcessBuilder training =
        new ProcessBuilder(command(row, "both", port, "-XX:AOTCacheOutput="))
            .redirectErrorStream(true);
    if (row.agent) {
      // The JVM that writes the cache runs no agent, and has to be told what the agent brings.
      training.environment().put("JDK_AOT_VM_OPTIONS", "-Xbootclasspath/a:" + jar);
    }
    Process process = training.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0 || !Files.exists(Path.of(row.cache))) {
      throw new BenchmarkFailure("No AOT cache was made:\n" + said);
    }
  }

  private Start start(Row row, String kind, int port)
      throws IOException, InterruptedException, BenchmarkFailure {
    long before = System.nanoTime();
    Process process =
        new ProcessBuilder(command(row, kind, port, "-XX:AOTCache="))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      String main = lines.readLine();
      long atMain = System.nanoTime();
      String connected = lines.readLine();
      long cpu = ProcessTime.nanos(process.pid());
      if (!Objects.equals(main, "main") || connected == null) {
        throw new BenchmarkFailure("The program of the row '" + row.label + "' has failed.");
      }
      double connect = Double.parseDouble(connected.substring(connected.indexOf(' ') + 1));
      process.waitFor();
      return new Start(atMain - before, connect, cpu < 0 ? Double.NaN : cpu);
    } finally {
      process.destroyForcibly();
    }
  }

  private void print(Map<Key, List<Start>> starts) {
    out.printf(
        "%d processes of each row, in turns; medians in ms (least..most).%n%n"
            + "%-26s %24s %24s %24s%n",
        rounds, "socket, row", "start to main", "first connect", "CPU until then");
    starts.forEach((key, all) ->
        out.printf(
            Locale.ROOT,
            "%-26s %24s %24s %24s%n",
            key.kind + ", " + key.row,
            millis(all, Start::main),
            millis(all, Start::connect),
            millis(all, Start::cpu)));
    out.flush();
  }

  static String object(Key key, List<Start> all) {
    StringBuilder text = new StringBuilder();
    text.append("{\"api\":\"").append(key.kind).append("\",\"row\":\"").append(key.row);
    text.append('"');
    JsonReport.spread(text, "main", "_ns", all.stream().map(Start::main).toList());
    JsonReport.spread(text, "connect", "_ns", all.stream().map(Start::connect).toList());
    JsonReport.spread(text, "cpu", "_ns", all.stream().map(Start::cpu).toList());
    return text.append('}').toString();
  }

  private static String millis(List<Start> all, ToDoubleFunction<Start> figure) {
    return text(all.stream().map(s -> figure.applyAsDouble(s) / 1e6).toList());
  }

  /** The median, with least and most. */
  static String text(List<Double> figures) {
    return Figures.digits(Statistics.median(figures))
        + " ("
        + Figures.digits(Statistics.spread(figures).least())
        + ".."
        + Figures.digits(Statistics.spread(figures).most())
        + ")";
  }
}
