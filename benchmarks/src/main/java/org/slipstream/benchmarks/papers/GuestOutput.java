package org.slipstream.benchmarks.papers;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.json.JSONObject;

/**
 * What the benchmarks in the virtual machine with software RDMA printed, as rows: the three shapes
 * of the PVFS paper, and round trips and streams beside those of other programs.
 */
public final class GuestOutput {
  private static final Pattern SPREAD =
      Pattern.compile("(.*?) ?([0-9.]+) \\(([0-9.]+) to ([0-9.]+)\\)");
  private static final Pattern BESIDE =
      Pattern.compile(
          "\\| (64 B round trip, us|1 MiB, MiB/s): ([^|]+?) +\\| ([0-9.]+) \\| ([0-9.]+) to ([0-9.]+) \\|");
  private static final Pattern DAY = Pattern.compile("(\\d{1,2} [A-Z][a-z]+ \\d{4}), commit .*");

  private static final int KIB = 1024;

  private final List<JSONObject> rows = new ArrayList<>();

  /** Of the table that is being read; empty outside of one. */
  private String figure = "";

  private GuestOutput() {}

  /**
   * Finds the day of a run that was kept.
   *
   * @param lines of the output, one of which may begin with the day
   * @return today without one
   */
  public static LocalDate day(List<String> lines) {
    for (String line : lines) {
      Matcher day = DAY.matcher(line);
      if (day.matches()) {
        return LocalDate.parse(
            day.group(1), DateTimeFormatter.ofPattern("d MMMM yyyy", Locale.ENGLISH));
      }
    }
    return LocalDate.now(ZoneOffset.UTC);
  }

  /**
   * Reads what was printed.
   *
   * @param lines of the tables, and any others
   * @return a row for each figure that was found
   */
  public static List<JSONObject> rows(List<String> lines) {
    GuestOutput output = new GuestOutput();
    lines.forEach(output::line);
    return output.rows;
  }

  private void line(String line) {
    Matcher beside = BESIDE.matcher(line);
    if (line.startsWith("us for each message")) {
      figure = "message";
    } else if (line.startsWith("MiB/s of transfers")) {
      figure = "piece";
    } else if (line.startsWith("us for each write")) {
      figure = "reuse";
    } else if (beside.matches()) {
      String what = beside.group(1).startsWith("64") ? "round trip" : "stream";
      add(new JSONObject().put("figure", what).put("carrier", beside.group(2)), beside, 3);
    } else if (line.contains(" | ") && !figure.isEmpty()) {
      row(line.split(" [|] +", -1));
    } else {
      figure = "";
    }
  }

  private void row(String[] cells) {
    String[] first = cells[0].split(" ", -1);
    int number = Integer.parseInt(first[0]);
    for (int i = 1; i < cells.length; i++) {
      Matcher cell = SPREAD.matcher(cells[i]);
      if (cell.matches()) {
        JSONObject row = new JSONObject().put("figure", figure);
        switch (figure) {
          case "message" -> row.put("size", number).put("carrier", cell.group(1));
          case "piece" -> row.put("size", number * KIB).put("carrier", "staged");
          default ->
              row.put("reuse", number).put("carrier", "registered: " + cell.group(1).strip());
        }
        add(row, cell, 2);
      }
    }
  }

  private void add(JSONObject row, Matcher numbers, int group) {
    rows.add(
        row.put("value", Double.parseDouble(numbers.group(group)))
            .put("value_least", Double.parseDouble(numbers.group(group + 1)))
            .put("value_most", Double.parseDouble(numbers.group(group + 2))));
  }
}
