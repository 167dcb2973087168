package org.slipstream.agent.fabric;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Measuring programs of others that this machine has, and how to run them between the two ends. */
final class VendorTools {
  private static final Path DOLPHIN = Path.of("/opt/DIS");
  private static final List<String> OF_RDMA = List.of("ib_write_lat", "ib_write_bw", "rping");
  private static final List<String> OF_NTB = List.of("scipp", "scibench2");

  /** What the reason of the NTB transport says of an adapter. */
  private static final Pattern NODE = Pattern.compile("\\bnode (\\d{1,5})\\b");

  /** A row of perftest's tables. */
  private static final Pattern ROW = Pattern.compile(" *\\d+( +[0-9.]+){3,}");

  /** Columns of such a row. */
  private static final int TYPICAL = 4;

  private static final int AVERAGE_RATE = 3;

  private final List<Path> folders;

  /**
   * A program, and what each end runs.
   *
   * @param name of it
   * @param there the command of the end that waits
   * @param here that of the other
   */
  record Program(String name, List<String> there, List<String> here) {}

  VendorTools(List<Path> folders) {
    this.folders = folders;
  }

  static VendorTools ofThisMachine() {
    String path = System.getenv().getOrDefault("PATH", "");
    return new VendorTools(
        Stream.concat(
                Arrays.stream(path.split(File.pathSeparator, -1))
                    .filter(folder -> !folder.isEmpty())
                    .map(Path::of),
                Stream.of(DOLPHIN.resolve("bin"), DOLPHIN.resolve("sbin")))
            .toList());
  }

  private Optional<Path> find(String program) {
    return folders.stream()
        .map(folder -> folder.resolve(program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static boolean hasRdma(HostReport report) {
    return !report.transport("rdma").devices().isEmpty();
  }

  /** The node that an end's first adapter is; a word in its place if it does not say. */
  static String node(HostReport report, String unknown) {
    Matcher node = NODE.matcher(report.transport("ntb").reason());
    return node.find() ? node.group(1) : unknown;
  }

  /**
   * The programs that are installed here and are of use.
   *
   * @param here this end; programs for devices that it does not have are left out
   * @param there the other
   * @param host its name
   */
  List<Program> programs(HostReport here, HostReport there, String host) {
    List<Program> programs = new ArrayList<>();
    for (String name : hasRdma(here) ? OF_RDMA : List.<String>of()) {
      programs.add(new Program(name, rdma(name, ""), rdma(name, host)));
    }
    for (String name : here.transport("ntb").available() ? OF_NTB : List.<String>of()) {
      programs.add(
          new Program(
              name,
              List.of(name, "-server", "-rn", node(here, "NODE_HERE")),
              List.of(name, "-client", "-rn", node(there, "NODE_THERE"))));
    }
    return programs.stream().filter(program -> find(program.name).isPresent()).toList();
  }

  /** With an empty host the command of the end that waits. */
  private static List<String> rdma(String name, String host) {
    List<String> command = new ArrayList<>(List.of(name));
    if (name.equals("rping")) {
      command.addAll(List.of(host.isEmpty() ? "-s" : "-c", "-v", "-C", "10"));
      command.addAll(host.isEmpty() ? List.of() : List.of("-a", host));
    } else {
      command.addAll(List.of("-R", "-s", name.endsWith("_lat") ? "64" : "65536"));
      command.addAll(host.isEmpty() ? List.of() : List.of(host));
    }
    return List.copyOf(command);
  }

  /**
   * What the end that waits runs for a client that asks.
   *
   * @param name of a program, as the client says it: nothing but a known one is run
   * @param node of the client
   * @return with the path of the program; empty if it is not known, or not installed
   */
  Optional<List<String>> waiting(String name, String node) {
    List<String> command =
        OF_RDMA.contains(name)
            ? rdma(name, "")
            : OF_NTB.contains(name) && node.matches("\\d{1,5}")
                ? List.of(name, "-server", "-rn", node)
                : List.of();
    return command.isEmpty() ? Optional.empty() : installed(command);
  }

  /** A command with the path of its program. */
  Optional<List<String>> installed(List<String> command) {
    return find(command.getFirst())
        .map(path -> {
          List<String> all = new ArrayList<>(command);
          all.set(0, path.toString());
          return all;
        });
  }

  /**
   * What to run beside this check.
   *
   * @param here this end
   * @param there the other
   * @param host its name
   * @return a sentence for each program
   */
  List<String> lines(HostReport here, HostReport there, String host) {
    List<String> lines = new ArrayList<>();
    for (Program program : programs(here, there, host)) {
      lines.add(
          "%s: run '%s' there, then '%s' here"
              .formatted(
                  program.name, String.join(" ", program.there), String.join(" ", program.here)));
    }
    List<String> missing = OF_RDMA.stream().filter(name -> find(name).isEmpty()).toList();
    if (hasRdma(here) && !missing.isEmpty()) {
      lines.add(
          String.join(", ", missing)
              + (missing.size() == 1 ? " is" : " are")
              + " not installed here (perftest and rdmacm-utils of the distribution)");
    }
    return lines;
  }

  /**
   * What a program found, in a few words.
   *
   * @param name of it
   * @param lines what it printed, at this end
   */
  static String result(String name, List<String> lines) {
    String last = lines.isEmpty() ? "it said nothing" : lines.getLast().strip();
    List<String> row =
        lines.stream()
            .filter(line -> ROW.matcher(line).matches())
            .reduce((a, b) -> b)
            .map(line -> List.of(line.strip().split(" +", -1)))
            .orElse(List.of());
    return switch (name) {
      case "ib_write_lat" ->
          row.size() > TYPICAL
              ? row.getFirst() + " bytes one way, typically " + row.get(TYPICAL) + " µs"
              : last;
      case "ib_write_bw" ->
          row.size() > AVERAGE_RATE
              ? "messages of " + row.getFirst() + " bytes, " + row.get(AVERAGE_RATE) + " MiB/s"
              : last;
      case "rping" ->
          String.format(
              Locale.ROOT,
              "%d pings came back",
              lines.stream().filter(line -> line.startsWith("ping data")).count());
      default -> last;
    };
  }
}
