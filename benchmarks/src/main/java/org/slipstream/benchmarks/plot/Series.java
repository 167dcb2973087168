package org.slipstream.benchmarks.plot;

import java.util.List;

/**
 * The points of one row of a table, joined by a line or drawn as bars of one colour.
 *
 * @param name in the legend
 * @param points in order of their position
 */
record Series(String name, List<Point> points) {}
