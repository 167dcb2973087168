/**
 * The RDMA backend: one queue pair for each pair of processes, on which windows are written and
 * control frames are sent.
 *
 * <p>The event thread of an endpoint makes every call that can sleep; threads of programs only post
 * and poll.
 */
@org.jspecify.annotations.NullMarked
package org.slipstream.rdma;
