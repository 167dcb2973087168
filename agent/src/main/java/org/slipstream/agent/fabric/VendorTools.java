package org.slipstream.agent.fabric;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Measuring programs of others that this machine has, and how to run them between the two ends. */
final class VendorTools {
  private static final Path DOLPHIN = Path.of("/opt/DIS");

  private final List<Path> folders;

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

  private boolean has(String program) {
    return folders.stream().anyMatch(folder -> Files.isExecutable(folder.resolve(program)));
  }

  /**
   * What to run beside this check.
   *
   * @param here this end; programs for devices that it does not have are not named
   * @param host the other end
   * @return a sentence for each program
   */
  List<String> lines(HostReport here, String host) {
    List<String> lines = new ArrayList<>();
    if (!here.transport("rdma").devices().isEmpty()) {
      List<String> missing = new ArrayList<>();
      for (String program : List.of("ib_write_lat", "ib_write_bw")) {
        name(lines, missing, program, program + " -R", program + " -R " + host);
      }
      name(lines, missing, "rping", "rping -s -v", "rping -c -v -C 10 -a " + host);
      if (!missing.isEmpty()) {
        lines.add(
            String.join(", ", missing)
                + (missing.size() == 1 ? " is" : " are")
                + " not installed here (perftest and rdmacm-utils of the distribution)");
      }
    }
    if (here.transport("ntb").available()) {
      for (String program : List.of("scipp", "scibench2")) {
        name(
            lines,
            new ArrayList<>(),
            program,
            program + " -server -rn NODE_HERE",
            program + " -client -rn NODE_THERE");
      }
    }
    return lines;
  }

  private void name(
      List<String> lines, List<String> missing, String program, String there, String own) {
    if (has(program)) {
      lines.add(program + ": run '" + there + "' there, then '" + own + "' here");
    } else {
      missing.add(program);
    }
  }
}
