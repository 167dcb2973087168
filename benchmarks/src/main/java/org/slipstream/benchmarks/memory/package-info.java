/**
 * The two programs of {@code slipstream memory bench}: one owns memory, the other reads it in turns
 * through a queue, by plain loads, and by asking over a stream.
 */
@NullMarked
package org.slipstream.benchmarks.memory;

import org.jspecify.annotations.NullMarked;
