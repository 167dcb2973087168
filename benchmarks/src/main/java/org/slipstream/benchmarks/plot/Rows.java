package org.slipstream.benchmarks.plot;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.DoubleFunction;
import java.util.function.Predicate;
import org.json.JSONObject;

/** The rows of one command, of all its files, and how they become series. */
final class Rows {
  private final List<Row> rows = new ArrayList<>();
  private final Set<String> names = new LinkedHashSet<>();

  /** One row, and the name of its series. */
  private record Row(JSONObject json, String name) {}

  /**
   * Takes the rows of files of one command.
   *
   * @param keys members whose values name a series: the first always, others where they differ
   * @param places members that say where in which panel a row's figures are drawn
   */
  Rows(List<Measured> files, List<String> keys, List<String> places) {
    List<JSONObject> all = files.stream().flatMap(file -> file.rows().stream()).toList();
    List<String> telling =
        keys.stream()
            .filter(key ->
                key.equals(keys.getFirst())
                    || all.stream().map(row -> text(row, key)).distinct().count() > 1)
            .toList();
    List<String> marks = new ArrayList<>(telling);
    marks.addAll(places);
    boolean ambiguous =
        all.stream().map(row -> joined(row, marks)).distinct().count() < all.size()
            && files.size() > 1;
    for (Measured file : files) {
      for (JSONObject row : file.rows()) {
        String name = joined(row, telling) + (ambiguous ? " (" + file.name() + ")" : "");
        rows.add(new Row(row, name));
        names.add(name);
      }
    }
  }

  private static String joined(JSONObject row, List<String> keys) {
    return String.join(" ", keys.stream().map(key -> text(row, key)).toList());
  }

  static String text(JSONObject row, String key) {
    Object value = row.opt(key);
    return value == null ? "" : value.toString();
  }

  /** The different values of a member, in the order in which they come. */
  List<String> values(String key) {
    return rows.stream().map(row -> text(row.json, key)).distinct().toList();
  }

  /** Positions at the different values of a number. */
  Positions logarithmic(String label, String key, DoubleFunction<String> text) {
    return logarithmic(label, key, text, row -> true);
  }

  /** Positions at the different values of a number in some of the rows. */
  Positions logarithmic(
      String label, String key, DoubleFunction<String> text, Predicate<JSONObject> which) {
    TreeMap<Double, String> texts = new TreeMap<>();
    for (Row row : rows) {
      double value = row.json.optDouble(key);
      if (value > 0 && which.test(row.json)) {
        texts.put(value, text.apply(value));
      }
    }
    if (texts.isEmpty()) {
      throw new IllegalArgumentException("The rows say no " + key + ".");
    }
    return Positions.logarithmic(label, texts);
  }

  /** A panel over a number; a figure that is not there has no mark. */
  Panel panel(
      String title,
      String unit,
      boolean logarithmic,
      Positions positions,
      String key,
      Predicate<JSONObject> which,
      Figure figure) {
    Map<String, List<Point>> series = new LinkedHashMap<>();
    names.forEach(name -> series.put(name, new ArrayList<>()));
    for (Row row : rows) {
      Point point = figure.at(row.json.optDouble(key), row.json);
      boolean drawable =
          Double.isFinite(point.median()) && point.low() >= 0 && (!logarithmic || point.low() > 0);
      if (which.test(row.json) && positions.texts().containsKey(point.x()) && drawable) {
        series.computeIfAbsent(row.name, name -> new ArrayList<>()).add(point);
      }
    }
    return new Panel(title, unit, logarithmic, positions, list(series));
  }

  /** A panel of bars: a group for each of these figures that a row has. */
  Panel bars(String title, String unit, Map<String, Figure> groups, Predicate<JSONObject> which) {
    Map<String, List<Point>> series = new LinkedHashMap<>();
    names.forEach(name -> series.put(name, new ArrayList<>()));
    List<String> titles = new ArrayList<>();
    groups.forEach((group, figure) -> {
      boolean found = false;
      for (Row row : rows) {
        Point point = figure.at(titles.size(), row.json);
        if (which.test(row.json) && Double.isFinite(point.median()) && point.low() >= 0) {
          series.computeIfAbsent(row.name, name -> new ArrayList<>()).add(point);
          found = true;
        }
      }
      if (found) {
        titles.add(group);
      }
    });
    return new Panel(title, unit, false, Positions.groups("", titles), list(series));
  }

  private static List<Series> list(Map<String, List<Point>> series) {
    List<Series> list = new ArrayList<>();
    series.forEach((name, points) -> {
      points.sort(Comparator.comparingDouble(Point::x));
      list.add(new Series(name, points));
    });
    return list;
  }
}
