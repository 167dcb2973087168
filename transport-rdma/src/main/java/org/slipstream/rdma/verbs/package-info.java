/**
 * libibverbs, by the FFM API: one class for each object, one for each structure's layout.
 *
 * <p>Objects are closed in the reverse order of their making, more than once without harm.
 */
@org.jspecify.annotations.NullMarked
package org.slipstream.rdma.verbs;
