package org.slipstream.benchmarks.plot;

/** The shapes of points, one for each series. */
final class Marks {
  private static final double R = 3.6;

  private Marks() {}

  /** Draws the mark of a series for the legend. */
  static void draw(Svg svg, int series, double x, double y) {
    draw(svg, series, x, y, "", true);
  }

  /** Draws the mark of a series, with words that a pointer over it shows; filled or open. */
  static void draw(Svg svg, int series, double x, double y, String words, boolean filled) {
    svg.open("g", "class", filled ? "mark f" + colour(series) : "mark open s" + colour(series));
    if (!words.isEmpty()) {
      svg.words("title", words);
    }
    switch (series % 6) {
      case 0 -> svg.empty("circle", "cx", x, "cy", y, "r", R);
      case 1 -> svg.empty("rect", "x", x - R, "y", y - R, "width", 2 * R, "height", 2 * R);
      case 2 -> polygon(svg, x, y, 0, -1.3, 1.2, 0.9, -1.2, 0.9);
      case 3 -> polygon(svg, x, y, 0, -1.35, 1.35, 0, 0, 1.35, -1.35, 0);
      case 4 -> polygon(svg, x, y, 0, 1.3, 1.2, -0.9, -1.2, -0.9);
      default -> polygon(svg, x, y, -1.3, -0.5, 1.3, -0.5, 1.3, 0.5, -1.3, 0.5);
    }
    svg.close("g");
  }

  private static int colour(int series) {
    return series % Style.COLOURS;
  }

  private static void polygon(Svg svg, double x, double y, double... corners) {
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < corners.length; i += 2) {
      points.append(i == 0 ? "" : " ").append(Svg.number(x + R * corners[i])).append(',');
      points.append(Svg.number(y + R * corners[i + 1]));
    }
    svg.empty("polygon", "points", points);
  }
}
