/**
 * The programs that are measured: plain {@code java.nio.channels} code of the kind a user writes.
 *
 * <p>Nothing here knows Slipstream. The very same classes run once on the stock JDK and once with
 * the agent on the command line, so a difference between the two rows is the transport and nothing
 * else. For that reason no class of this package imports anything of {@code org.slipstream} outside
 * it.
 *
 * <p>Every program is a worker: it announces itself on its standard output, then takes one command
 * a line from its standard input and answers each with one line. Between commands it sleeps, so
 * that the pairs of several carriers can live side by side and be measured in turns.
 *
 * <pre>
 *   driver --- "run 64 50 500 0" ---&gt; server         driver --- "run 64 50 500 0" ---&gt; client
 *   driver &lt;-- "done" -------------- server         driver &lt;-- "result count=..." --- client
 * </pre>
 *
 * <p>Threads: one thread runs the timed loops; a daemon thread reads the standard input, and its
 * end ends the process, however busy the loop is.
 */
@NullMarked
package org.slipstream.benchmarks.programs;

import org.jspecify.annotations.NullMarked;
