package org.slipstream.benchmarks.plot;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Draws a panel at a place: title, axes, and lines or bars with their spread. */
final class PanelDrawing {
  static final double WIDTH = 432;
  static final double HEIGHT = 300;

  private static final double LEFT = 56;
  private static final double RIGHT = 10;
  private static final double TOP = 46;
  private static final double BOTTOM = 46;
  private static final double TITLE = 13;
  private static final double SMALL = 11;
  private static final double TINY = 9.5;
  private static final double GAP = 8;

  /** Half the width of the line across an end of a spread. */
  private static final double CAP = 3;

  private final Svg svg;
  private final Panel panel;
  private final double left;
  private final double top;
  private final Scale scale;

  PanelDrawing(Svg svg, Panel panel, double left, double top) {
    this.svg = svg;
    this.panel = panel;
    this.left = left;
    this.top = top;
    this.scale = panel.scale();
  }

  void draw() {
    double room = WIDTH - 2 * GAP;
    svg.open("g", "class", "panel");
    text(
        Lettering.fit(panel.title(), TITLE, room), left + GAP, top + TITLE, TITLE, "start", "head");
    text(
        Lettering.fit(panel.axis(), SMALL, room),
        left + GAP,
        top + TITLE + SMALL + 5,
        SMALL,
        "start",
        "faint");
    vertical();
    horizontal();
    for (int i = 0; i < panel.series().size(); i++) {
      if (panel.positions().bars()) {
        bars(i, panel.series().get(i));
      } else {
        line(i, panel.series().get(i));
      }
    }
    svg.close("g");
  }

  private double x(double value) {
    return left + LEFT + (WIDTH - LEFT - RIGHT) * panel.positions().at(value);
  }

  private double y(double value) {
    return foot() - (HEIGHT - TOP - BOTTOM) * scale.at(value);
  }

  private double foot() {
    return top + HEIGHT - BOTTOM;
  }

  private void text(String words, double x, double y, double size, String anchor, String classes) {
    if (words.isEmpty()) {
      return;
    }
    svg.words(
        "text", words, "x", x, "y", y, "font-size", size, "text-anchor", anchor, "class", classes);
  }

  private void vertical() {
    for (double tick : scale.ticks()) {
      double y = y(tick);
      svg.empty(
          "line", "x1", left + LEFT, "x2", left + WIDTH - RIGHT, "y1", y, "y2", y, "class", "grid");
      text(Amounts.tick(tick), left + LEFT - 6, y + 4, SMALL, "end", "faint");
    }
  }

  /** As many labels as there is room for, the first and each n-th after it. */
  private void horizontal() {
    List<Map.Entry<Double, String>> all = List.copyOf(panel.positions().texts().entrySet());
    int each = 1;
    while (each < all.size() && !fits(all, each)) {
      each++;
    }
    double room = panel.positions().bars() ? (WIDTH - LEFT - RIGHT) / all.size() - 4 : WIDTH;
    for (int i = 0; i < all.size(); i++) {
      double x = x(all.get(i).getKey());
      svg.empty("line", "x1", x, "x2", x, "y1", foot(), "y2", foot() + 4, "class", "grid");
      if (panel.positions().bars()) {
        group(all.get(i).getValue(), x, room);
      } else if (i % each == 0) {
        double half = Lettering.width(all.get(i).getValue(), SMALL) / 2;
        double inside = Math.min(x, left + WIDTH - 2 - half);
        text(all.get(i).getValue(), inside, foot() + 17, SMALL, "middle", "faint");
      }
    }
    text(
        Lettering.fit(panel.positions().label(), SMALL, WIDTH - LEFT),
        left + LEFT + (WIDTH - LEFT - RIGHT) / 2,
        foot() + 36,
        SMALL,
        "middle",
        "faint");
  }

  /** The name of a group of bars, in two lines if it is long. */
  private void group(String name, double x, double room) {
    List<String> lines = Lettering.lines(name, TINY, room);
    text(lines.getFirst(), x, foot() + 17, TINY, "middle", "faint");
    if (lines.size() > 1) {
      String rest = String.join(" ", lines.subList(1, lines.size()));
      text(Lettering.fit(rest, TINY, room), x, foot() + 29, TINY, "middle", "faint");
    }
  }

  private boolean fits(List<Map.Entry<Double, String>> all, int each) {
    double free = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < all.size(); i += each) {
      double half = Lettering.width(all.get(i).getValue(), SMALL) / 2;
      double x = Math.min(x(all.get(i).getKey()), left + WIDTH - 2 - half);
      if (x - half < free) {
        return false;
      }
      free = x + half + GAP / 2;
    }
    return true;
  }

  private void line(int index, Series series) {
    StringBuilder way = new StringBuilder();
    for (Point point : series.points()) {
      way.append(way.isEmpty() ? "M" : "L").append(Svg.number(x(point.x()))).append(' ');
      way.append(Svg.number(y(point.median())));
    }
    if (series.points().size() > 1) {
      svg.empty("path", "d", way, "class", "line s" + index % Style.COLOURS);
    }
    for (Point point : series.points()) {
      spread(index, point, x(point.x()));
      Marks.draw(
          svg, index, x(point.x()), y(point.median()), words(series, point), point.verified());
    }
  }

  private void spread(int index, Point point, double x) {
    if (point.hasSpread()) {
      double low = y(point.low());
      double high = y(point.high());
      String way =
          "M%1$s %3$sH%2$sM%5$s %3$sV%4$sM%1$s %4$sH%2$s"
              .formatted(
                  Svg.number(x - CAP),
                  Svg.number(x + CAP),
                  Svg.number(low),
                  Svg.number(high),
                  Svg.number(x));
      svg.empty("path", "d", way, "class", "spread s" + index % Style.COLOURS);
    }
  }

  /** The series that have a bar at a place, in the order of the legend. */
  private List<Series> beside(double x) {
    return panel.series().stream()
        .filter(series -> series.points().stream().anyMatch(point -> point.x() == x))
        .toList();
  }

  /** The bars of a group stand around its label: a series that is not there takes no room. */
  private void bars(int index, Series series) {
    Set<Double> places = panel.positions().texts().keySet();
    int most = places.stream().mapToInt(x -> beside(x).size()).max().orElse(1);
    double group = (WIDTH - LEFT - RIGHT) / places.size();
    double width = Math.min(40, 0.8 * group / Math.max(1, most));
    for (Point point : series.points()) {
      List<Series> here = beside(point.x());
      double x = x(point.x()) + width * (here.indexOf(series) - here.size() / 2.0);
      double y = y(point.median());
      svg.open("g", "class", "mark f" + index % Style.COLOURS);
      svg.words("title", words(series, point));
      svg.empty("rect", "x", x + 1, "y", y, "width", width - 2, "height", foot() - y);
      svg.close("g");
      String value = Amounts.full(point.median());
      double inkless = Math.min(y, y(point.high())) - 4;
      if (Lettering.width(value, TINY) <= width + 2) {
        text(value, x + width / 2, inkless, TINY, "middle", "value");
      }
      if (point.hasSpread()) {
        double middle = x + width / 2;
        svg.empty(
            "line",
            "x1",
            middle,
            "x2",
            middle,
            "y1",
            y(point.low()),
            "y2",
            y(point.high()),
            "class",
            "spread ink");
      }
    }
  }

  private String words(Series series, Point point) {
    String where = panel.positions().texts().getOrDefault(point.x(), "");
    String spread =
        point.hasSpread()
            ? " (" + Amounts.full(point.low()) + " to " + Amounts.full(point.high()) + ")"
            : "";
    return "%s, %s: %s%s %s%s"
        .formatted(
            series.name(),
            where,
            Amounts.full(point.median()),
            spread,
            panel.unit(),
            point.verified() ? "" : ", not wholly on the ring");
  }
}
