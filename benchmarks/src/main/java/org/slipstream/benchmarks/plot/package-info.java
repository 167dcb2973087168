/**
 * Draws what the commands measured as SVG, from the JSON that they write.
 *
 * <pre>
 *   Measured (a file) --- Plots --- ExchangePlots, CrowdPlots, PagePlots, StartPlots, ServerPlots
 *                                        |
 *                                      Plot --- Panel --- Series --- Point
 *                                        |
 *                                      PlotPage --- PanelDrawing --- Svg
 * </pre>
 *
 * <p>Of libraries, those that write SVG from Java (JFreeSVG, and VectorGraphics2D, which XChart
 * uses) draw through AWT: they write each colour into each element, so that nothing can follow the
 * reader's colour scheme, and need the font libraries that a JDK without a desktop may not find.
 * What is needed here is lines, bars and text.
 */
@NullMarked
package org.slipstream.benchmarks.plot;

import org.jspecify.annotations.NullMarked;
