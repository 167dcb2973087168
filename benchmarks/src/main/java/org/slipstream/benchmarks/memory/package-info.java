/**
 * Of {@code slipstream memory bench}: one program owns memory, the other reads it in turns through
 * a queue, by plain loads, and by asking over a stream. And the clients of memory servers of {@code
 * bench} and {@code crowd}, and the two programs that run over a device.
 */
@NullMarked
package org.slipstream.benchmarks.memory;

import org.jspecify.annotations.NullMarked;
