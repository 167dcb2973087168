/**
 * Starts the measured programs, gives them their turns and sums up.
 *
 * <pre>
 *   Experiment --- Team (one for each carrier) --- Pair --- Child (server)
 *       |               |                           \------ Child (client)
 *       |             Round  (what the team saw in one turn)
 *   Summary --- Row --- Table, JsonReport
 * </pre>
 *
 * <p>{@link org.slipstream.benchmarks.driver.Pages} does the same for servers of files, with
 * figures of its own: {@code PagePair}, {@code PageRow}, {@code PageReport}.
 *
 * <p>A machine's speed changes from minute to minute by more than the differences that matter here.
 * So all teams live at the same time and take short turns, and a ratio is the median of the ratios
 * within each round, not the ratio of two medians.
 *
 * <p>Threads: one measures; each child has two daemon threads that read its output.
 */
@NullMarked
package org.slipstream.benchmarks.driver;

import org.jspecify.annotations.NullMarked;
