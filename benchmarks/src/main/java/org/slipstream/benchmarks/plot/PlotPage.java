package org.slipstream.benchmarks.plot;

import java.util.List;

/** Puts plots below each other, two panels side by side. */
final class PlotPage {
  private static final double MARGIN = 12;
  private static final double WIDTH = 2 * PanelDrawing.WIDTH + 3 * MARGIN;
  private static final double TITLE = 16;
  private static final double REMARK = 11;
  private static final double LEGEND = 12;
  private static final double LINE = 17;

  private final Svg svg = new Svg();
  private double y = MARGIN;

  private PlotPage() {}

  /** Returns a whole file. */
  static String draw(List<Plot> plots) {
    PlotPage page = new PlotPage();
    plots.forEach(page::plot);
    return new Svg()
        .open(
            "svg",
            "xmlns",
            "http://www.w3.org/2000/svg",
            "viewBox",
            "0 0 " + Svg.number(WIDTH) + " " + Svg.number(page.y),
            "width",
            WIDTH,
            "role",
            "img")
        .words("title", String.join("; ", plots.stream().map(Plot::title).toList()))
        .raw(Style.sheet())
        .raw(page.svg.toString())
        .close("svg")
        .toString();
  }

  private void plot(Plot plot) {
    words(plot.title(), TITLE, TITLE + 6, "head");
    for (String remark : plot.remarks()) {
      words(remark, REMARK, REMARK + 5, "faint");
    }
    if (plot.hasOpenMarks()) {
      words("Open marks: some of the row's bytes went over TCP.", REMARK, REMARK + 5, "faint");
    }
    legend(plot.names());
    for (int i = 0; i < plot.panels().size(); i++) {
      double left = i % 2 == 0 ? MARGIN : 2 * MARGIN + PanelDrawing.WIDTH;
      new PanelDrawing(svg, plot.panels().get(i), left, y).draw();
      if (i % 2 == 1 || i == plot.panels().size() - 1) {
        y += PanelDrawing.HEIGHT + MARGIN;
      }
    }
  }

  private void words(String text, double size, double height, String classes) {
    for (String line : Lettering.lines(text, size, WIDTH - 6 * MARGIN)) {
      svg.words("text", line, "x", MARGIN + 8, "y", y + size, "font-size", size, "class", classes);
      y += height;
    }
  }

  private void legend(List<String> names) {
    double x = MARGIN + 8;
    double last = WIDTH - MARGIN;
    y += 4;
    for (int i = 0; i < names.size(); i++) {
      String name = Lettering.fit(names.get(i), LEGEND, last - MARGIN - 24);
      double width = 16 + Lettering.width(name, LEGEND) + 12;
      if (x + width > last && x > MARGIN + 8) {
        x = MARGIN + 8;
        y += LINE;
      }
      Marks.draw(svg, i, x + 5, y + LEGEND - 4);
      svg.words("text", name, "x", x + 16, "y", y + LEGEND, "font-size", LEGEND, "class", "name");
      x += width;
    }
    y += LINE + 8;
  }
}
