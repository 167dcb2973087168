/** The counters of a process as Micrometer meters. */
@NullMarked
package org.slipstream.metrics;

import org.jspecify.annotations.NullMarked;
