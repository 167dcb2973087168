/**
 * The RDMA backend: one queue pair for each pair of processes, on which windows are written and
 * control frames are sent.
 *
 * <p>The event thread of an endpoint makes every call that can sleep; threads of programs only post
 * and poll.
 */
@NullMarked
@Stability(Stability.Level.INTERNAL)
package org.slipstream.rdma;

import org.jspecify.annotations.NullMarked;
import org.slipstream.transport.Stability;
