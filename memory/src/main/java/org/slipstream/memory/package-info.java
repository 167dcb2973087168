/**
 * One-sided memory: a process exports memory by a name, others map it, and read and write it
 * without a processor of the owner.
 *
 * <pre>
 *   control path: may block, may fail with a reason      data path: no allocation, lock, exception
 *
 *   Domain -+- Region        (own memory, exported)      Queue: read, write, fetchAdd,
 *           +- RemoteRegion  (memory of another)                compareAndSet, poll, flush
 * </pre>
 *
 * <p>Unlike a stream, memory does not fail over: when its owner ends, a region is lost.
 *
 * <p>Inside: {@code Exports} serves the names of this process, {@code Imports} holds what it has
 * mapped, {@code MemoryFrame} is what the two say to each other in a session. Both live on the
 * control thread of the domain, {@code slipstream-memory}.
 */
@NullMarked
@Stability(Stability.Level.EVOLVING)
package org.slipstream.memory;

import org.jspecify.annotations.NullMarked;
import org.slipstream.transport.Stability;
