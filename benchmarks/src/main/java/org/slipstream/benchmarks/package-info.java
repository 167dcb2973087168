/**
 * The command line of the benchmarks: {@code pingpong} for round trips, {@code stream} for one-way
 * throughput, {@code connect} for short connections.
 *
 * <p>Duty: read and judge what the user asks for and make a {@link
 * org.slipstream.benchmarks.driver.Plan} of it. Whatever is wrong is answered by one sentence and
 * exit code 2.
 */
@NullMarked
package org.slipstream.benchmarks;

import org.jspecify.annotations.NullMarked;
