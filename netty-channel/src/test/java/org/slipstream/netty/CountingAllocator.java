package org.slipstream.netty;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** Counts the bytes that it gives, and knows its buffers again. Any thread. */
final class CountingAllocator extends AbstractByteBufAllocator {
  private final UnpooledByteBufAllocator source = new UnpooledByteBufAllocator(true, true);
  private final Set<ByteBuf> given = Collections.newSetFromMap(new IdentityHashMap<>());
  private long bytes;

  CountingAllocator() {
    super(true);
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return note(source.heapBuffer(initialCapacity, maxCapacity), initialCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    return note(source.directBuffer(initialCapacity, maxCapacity), initialCapacity);
  }

  private synchronized ByteBuf note(ByteBuf buf, int size) {
    given.add(buf);
    bytes += size;
    return buf;
  }

  synchronized long bytes() {
    return bytes;
  }

  synchronized boolean gave(ByteBuf buf) {
    return given.contains(buf);
  }

  /** Or a channel would copy into a buffer of its thread, past this allocator. */
  @Override
  public boolean isDirectBufferPooled() {
    return true;
  }
}
