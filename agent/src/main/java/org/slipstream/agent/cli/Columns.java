package org.slipstream.agent.cli;

import java.util.List;

/** Lines of a table whose columns are as wide as their content; the last one is ragged. */
final class Columns {
  private Columns() {}

  /**
   * Makes the lines.
   *
   * @param cells of each line, the head first
   * @param texts how many columns, from the first, begin at the left
   */
  static List<String> lines(List<List<String>> cells, int texts) {
    int last = cells.getFirst().size() - 1;
    int[] widths = new int[last];
    for (List<String> line : cells) {
      for (int i = 0; i < last; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    return cells.stream()
        .map(line -> {
          StringBuilder text = new StringBuilder();
          for (int i = 0; i < last; i++) {
            String pad = " ".repeat(widths[i] - line.get(i).length());
            text.append(i < texts ? line.get(i) + pad : pad + line.get(i)).append("  ");
          }
          return text.append(line.get(last)).toString().stripTrailing();
        })
        .toList();
  }
}
