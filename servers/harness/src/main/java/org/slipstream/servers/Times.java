package org.slipstream.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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

  /** Appends the line of an arm to the table of times, and its row to the file of rows. */
  void add(Arm arm, List<Turn> turns, int cores, double share) throws IOException {
    Files.writeString(
        TABLE,
        line(arm.title(), turns, cores),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    row(arm, turns, share).append();
  }

  String line(String carrier, List<Turn> turns, int cores) {
    StringBuilder line = new StringBuilder("| " + load + " | " + cores + " | " + carrier);
    times()
        .values()
        .forEach(time -> {
          Spread all = Spread.of(turns, time);
          line.append(
              String.format(
                  Locale.ROOT, " | %.2f (%.2f–%.2f)", all.median(), all.least(), all.most()));
        });
    return line.append(" |\n").toString();
  }

  JsonRow row(Arm arm, List<Turn> turns, double share) {
    JsonRow row = new JsonRow(load, arm, turns.size(), share);
    Map<String, ToDoubleFunction<Turn>> all = times();
    for (String name : turns.getFirst().figures().more().keySet().stream().sorted().toList()) {
      all.put(name, turn -> share(turn, turn.figures().more().getOrDefault(name, Double.NaN)));
    }
    all.forEach((name, time) -> {
      int unit = name.lastIndexOf('_');
      row.add(name.substring(0, unit), name.substring(unit), Spread.of(turns, time));
    });
    return row;
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
}
