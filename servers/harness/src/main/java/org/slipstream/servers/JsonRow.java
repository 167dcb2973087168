package org.slipstream.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/** A load over one carrier, as the line of a file from which {@code ./slipstream plot} draws. */
final class JsonRow {
  private static final Path FILE =
      Path.of(System.getProperty("slipstream.servers.json", "target/rows.json"));

  private final StringBuilder text = new StringBuilder();

  JsonRow(String load, Arm arm, int turns, double share) {
    text.append("{\"load\":\"").append(load).append("\",\"carrier\":\"").append(arm.carrier());
    text.append("\",\"cores\":").append(Runtime.getRuntime().availableProcessors());
    text.append(",\"turns\":").append(turns);
    text.append(String.format(Locale.ROOT, ",\"ring_share\":%.4f", share));
  }

  /** Adds a member that is a word. */
  JsonRow add(String name, String word) {
    text.append(",\"").append(name).append("\":\"").append(word).append('"');
    return this;
  }

  /** Adds a median with its least and most, such as {@code real_s}; nothing if a turn has none. */
  JsonRow add(String name, String unit, Spread spread) {
    if (!Double.isNaN(spread.median())) {
      text.append(
          String.format(
              Locale.ROOT,
              ",\"%1$s%2$s\":%3$.3f,\"%1$s_least%2$s\":%4$.3f,\"%1$s_most%2$s\":%5$.3f",
              name,
              unit,
              spread.median(),
              spread.least(),
              spread.most()));
    }
    return this;
  }

  /** Appends it to the file of the run. */
  void append() throws IOException {
    Files.writeString(FILE, this + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  @Override
  public String toString() {
    return text + "}";
  }
}
