/**
 * Two programs of several processes, to be read as examples of one-sided memory and measured by
 * {@code slipstream memory sort} and {@code slipstream memory pagerank}: {@link
 * org.slipstream.benchmarks.examples.Sort} and {@link org.slipstream.benchmarks.examples.PageRank}.
 * What they do is the same over remote memory and over sockets; the {@link
 * org.slipstream.benchmarks.examples.Exchange} is another one.
 */
@NullMarked
package org.slipstream.benchmarks.examples;

import org.jspecify.annotations.NullMarked;
