package org.slipstream.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.slipstream.servers.Rounds.Turn;

/**
 * Loads of one size as the command {@code time} shows them: real, user and system time of the
 * client, and user and system time of the servers, in seconds.
 *
 * @param load its name
 * @param size the amount that is one load, whatever a turn did
 */
record Times(String load, double size) {
  private static final Path TABLE =
      Path.of(System.getProperty("slipstream.servers.times", "target/times.md"));
  private static final Path JSON =
      Path.of(System.getProperty("slipstream.servers.json", "target/times.json"));

  /** Appends the lines of an arm to both files. */
  void add(Arm arm, List<Turn> turns, int cores, double share) throws IOException {
    append(TABLE, line(arm.title(), turns, cores));
    append(JSON, object(arm.carrier(), turns, cores, share));
  }

  private static void append(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  String line(String carrier, List<Turn> turns, int cores) {
    StringBuilder line = new StringBuilder("| " + load + " | " + cores + " | " + carrier);
    times()
        .values()
        .forEach(time -> {
          double[] all = sorted(turns, time);
          line.append(
              String.format(
                  Locale.ROOT, " | %.2f (%.2f–%.2f)", median(all), all[0], all[all.length - 1]));
        });
    return line.append(" |\n").toString();
  }

  String object(String carrier, List<Turn> turns, int cores, double share) {
    StringBuilder text = new StringBuilder();
    text.append("{\"load\":\"").append(load).append("\",\"carrier\":\"").append(carrier);
    text.append("\",\"cores\":").append(cores).append(",\"turns\":").append(turns.size());
    Map<String, ToDoubleFunction<Turn>> all = times();
    for (String name : turns.getFirst().figures().more().keySet().stream().sorted().toList()) {
      all.put(name, turn -> share(turn, turn.figures().more().getOrDefault(name, Double.NaN)));
    }
    all.forEach((name, time) -> {
      int unit = name.lastIndexOf('_');
      double[] sorted = sorted(turns, time);
      text.append(
          String.format(
              Locale.ROOT,
              ",\"%1$s%2$s\":%3$.3f,\"%1$s_least%2$s\":%4$.3f,\"%1$s_most%2$s\":%5$.3f",
              name.substring(0, unit),
              name.substring(unit),
              median(sorted),
              sorted[0],
              sorted[sorted.length - 1]));
    });
    text.append(String.format(Locale.ROOT, ",\"ring_share\":%.4f}%n", share));
    return text.toString();
  }

  private Map<String, ToDoubleFunction<Turn>> times() {
    Map<String, ToDoubleFunction<Turn>> times = new LinkedHashMap<>();
    times.put("real_s", turn -> size / turn.figures().perSecond());
    times.put("client_user_s", turn -> share(turn, turn.client().user()));
    times.put("client_system_s", turn -> share(turn, turn.client().system()));
    times.put("server_user_s", turn -> share(turn, turn.server().user()));
    times.put("server_system_s", turn -> share(turn, turn.server().system()));
    return times;
  }

  private double share(Turn turn, double seconds) {
    return seconds * size / turn.figures().amount();
  }

  private static double[] sorted(List<Turn> turns, ToDoubleFunction<Turn> time) {
    return turns.stream().mapToDouble(time).sorted().toArray();
  }

  private static double median(double[] sorted) {
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1
        ? sorted[middle]
        : Arrays.stream(sorted, middle - 1, middle + 1).average().orElse(Double.NaN);
  }
}
