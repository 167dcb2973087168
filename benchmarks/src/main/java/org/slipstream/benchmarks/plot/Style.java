package org.slipstream.benchmarks.plot;

import java.util.List;

/**
 * Colours for light and for dark pages, over which the drawing lies without a ground of its own.
 */
final class Style {
  /** Told apart with most kinds of colour blindness; each has a mark of its own shape, too. */
  private static final List<String> ON_LIGHT =
      List.of(
          "#0067a6", "#c24e00", "#00795a", "#b0508c", "#7a6200", "#5a4fcf", "#5f6b76", "#a4262c");

  private static final List<String> ON_DARK =
      List.of(
          "#5cb8f2", "#ff9052", "#35d3a4", "#f0a3d0", "#e3c74f", "#b0a5ff", "#a8b3bd", "#ff8a8f");

  /** More series than this share colours, but not shapes. */
  static final int COLOURS = ON_LIGHT.size();

  private Style() {}

  static String sheet() {
    return "<style>\n"
        + "text{font-family:system-ui,-apple-system,'Segoe UI','Helvetica Neue',Arial,sans-serif}\n"
        + ".line,.spread{fill:none}.line{stroke-width:1.8}.spread{stroke-width:1.2;opacity:.75}\n"
        + ".open{fill:none;stroke-width:1.5}.head{font-weight:600}.grid{stroke-width:1}\n"
        + scheme("#1f2328", "#59636e", "#d1d9e0", ON_LIGHT)
        + "@media (prefers-color-scheme:dark){\n"
        + scheme("#e6edf3", "#9aa4af", "#3d444d", ON_DARK)
        + "}\n</style>\n";
  }

  private static String scheme(String ink, String faint, String grid, List<String> colours) {
    StringBuilder css = new StringBuilder();
    css.append("text{fill:").append(ink).append("}.faint{fill:").append(faint);
    css.append("}.grid{stroke:").append(grid);
    css.append("}.ink{stroke:").append(ink).append("}\n");
    for (int i = 0; i < colours.size(); i++) {
      css.append(".s").append(i).append("{stroke:").append(colours.get(i)).append("}.f");
      css.append(i).append("{fill:").append(colours.get(i)).append("}\n");
    }
    return css.toString();
  }
}
