/**
 * Memory servers of several hosts in ZooKeeper: a {@link org.slipstream.memory.MemoryDirectory}
 * whose entries are ephemeral nodes, through Apache Curator. Optional: no other module needs it.
 *
 * <p>ZooKeeper decides what has to be decided once: who has a name, and who is dead. Everything
 * else, which chunk is free for example, stays with the servers, and no byte of memory passes
 * ZooKeeper.
 */
@NullMarked
@Stability(Stability.Level.EVOLVING)
package org.slipstream.memory.zookeeper;

import org.jspecify.annotations.NullMarked;
import org.slipstream.transport.Stability;
