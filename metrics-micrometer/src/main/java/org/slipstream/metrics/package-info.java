/** The counters of a process as Micrometer meters. */
@NullMarked
@Stability(Stability.Level.STABLE)
package org.slipstream.metrics;

import org.jspecify.annotations.NullMarked;
import org.slipstream.transport.Stability;
