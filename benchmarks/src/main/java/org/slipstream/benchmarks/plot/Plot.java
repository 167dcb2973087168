package org.slipstream.benchmarks.plot;

import java.util.List;

/**
 * Panels with one legend.
 *
 * @param title what was measured
 * @param remarks how, when and where; one for each file
 * @param panels each with the same series in the same order
 */
record Plot(String title, List<String> remarks, List<Panel> panels) {
  List<String> names() {
    return panels.getFirst().series().stream().map(Series::name).toList();
  }

  boolean hasOpenMarks() {
    return panels.stream()
        .flatMap(panel -> panel.series().stream())
        .flatMap(series -> series.points().stream())
        .anyMatch(point -> !point.verified());
  }
}
