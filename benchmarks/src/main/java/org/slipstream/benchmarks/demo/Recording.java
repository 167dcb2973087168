package org.slipstream.benchmarks.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * Frames as an SVG that plays them again and again. A line of text that stays the same from frame
 * to frame is there once. Light and dark pages have colours of their own; with less motion wished
 * for, and where nothing moves, the last frame is shown.
 */
final class Recording {
  private static final double CELL = 7.4;
  private static final int LINE = 18;
  private static final int MARGIN = 16;
  private static final int LAST_FRAME_STEPS = 16;
  private static final String PAUSED = "\n@media (prefers-reduced-motion:reduce){";

  /** A line of the screen that was the same for some frames. */
  private record Stretch(int row, int from, int frames, String text) {}

  private Recording() {}

  /**
   * Draws them.
   *
   * @param frames at least one, all of the same duration
   * @param step how long each is shown, in seconds; the last one for some more
   */
  static String svg(List<Frame> frames, double step) {
    int total = frames.size() - 1 + LAST_FRAME_STEPS;
    List<Stretch> stretches = stretches(frames, total);
    Set<Integer> durations = new TreeSet<>();
    int columns = 0;
    int rows = 0;
    for (Stretch stretch : stretches) {
      durations.add(stretch.frames());
      columns = Math.max(columns, stretch.text().length());
      rows = Math.max(rows, stretch.row() + 1);
    }
    int width = (int) Math.ceil(columns * CELL) + 2 * MARGIN;
    int height = rows * LINE + 2 * MARGIN;
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n"
            .formatted(width, height, width, height));
    svg.append("<title>./slipstream demo</title>\n<style>\n").append(sheet(durations, total, step));
    svg.append("</style>\n<rect class=\"b\" width=\"100%\" height=\"100%\" rx=\"8\"/>\n");
    for (Stretch stretch : stretches) {
      svg.append(text(stretch, total, step));
    }
    return svg.append("</svg>\n").toString();
  }

  private static List<Stretch> stretches(List<Frame> frames, int total) {
    int rows = frames.stream().mapToInt(frame -> frame.lines().size()).max().orElse(0);
    List<Stretch> stretches = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      int from = 0;
      for (int i = 1; i <= frames.size(); i++) {
        boolean last = i == frames.size();
        String text = at(frames.get(from), row);
        if (last || !at(frames.get(i), row).equals(text)) {
          if (!text.isEmpty()) {
            stretches.add(new Stretch(row, from, (last ? total : i) - from, text));
          }
          from = i;
        }
      }
    }
    return stretches;
  }

  private static String at(Frame frame, int row) {
    return row < frame.lines().size() ? frame.lines().get(row) : "";
  }

  private static String sheet(Set<Integer> durations, int total, double step) {
    StringBuilder css = new StringBuilder();
    css.append("text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',");
    css.append("monospace;white-space:pre;visibility:hidden;animation:");
    css.append(number(total * step)).append("s step-end infinite}\n");
    css.append(".b{fill:#f6f8fa}text{fill:#1f2328}.c{fill:#0067a6;font-weight:600}\n");
    css.append("@media (prefers-color-scheme:dark){.b{fill:#161b22}text{fill:#e6edf3}");
    css.append(".c{fill:#5cb8f2}}\n");
    for (int frames : durations) {
      css.append(".d").append(frames).append("{animation-name:k").append(frames).append("}");
      css.append("@keyframes k").append(frames).append("{0%{visibility:visible}");
      if (frames < total) {
        css.append(number(100.0 * frames / total)).append("%,100%{visibility:hidden}");
      }
      css.append("}\n");
    }
    css.append(".e{visibility:visible}"); // where nothing moves
    return css.append(PAUSED).append("text{animation:none}}\n").toString();
  }

  private static String text(Stretch stretch, int total, double step) {
    boolean last = stretch.from() + stretch.frames() == total;
    String classes =
        "d"
            + stretch.frames()
            + (last ? " e" : "")
            + (stretch.text().startsWith(Frame.COMMAND) ? " c" : "");
    return "<text x=\"%d\" y=\"%d\" class=\"%s\" style=\"animation-delay:%ss\">%s</text>\n"
        .formatted(
            MARGIN,
            MARGIN + (stretch.row() + 1) * LINE - 5,
            classes,
            // Each has begun before: until a delay is over, the style without animation would
            // count.
            number(stretch.from() == 0 ? 0 : (stretch.from() - total) * step),
            stretch.text().replace("&", "&amp;").replace("<", "&lt;"));
  }

  /** At most three digits behind the point, and none that say nothing. */
  private static String number(double value) {
    String text = String.format(Locale.ROOT, "%.3f", value);
    return text.replaceFirst("\\.?0+$", "");
  }
}
