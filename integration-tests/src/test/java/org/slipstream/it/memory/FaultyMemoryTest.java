package org.slipstream.it.memory;

import java.util.Random;
import org.slipstream.memory.Domain;
import org.slipstream.memory.Queue;
import org.slipstream.testkit.memory.FaultyQueue;
import org.slipstream.testkit.memory.MemoryContract;

/** The contract asks for nothing that a queue with late operations can not do. */
class FaultyMemoryTest extends MemoryContract {
  @Override
  protected Queue queue(Domain domain, int depth) {
    return new FaultyQueue(domain.queue(depth), depth, new Random(seed.value()));
  }
}
