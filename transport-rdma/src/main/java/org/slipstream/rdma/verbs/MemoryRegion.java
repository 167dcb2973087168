package org.slipstream.rdma.verbs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Pinned memory and its keys. Made and closed by the event thread; keys are for all threads. */
@SuppressWarnings("restricted") // a region has the size that its header says
public final class MemoryRegion extends Resource implements RemoteMemory {
  private final MemorySegment pointer;
  private final int localKey;
  private final int remoteKey;

  MemoryRegion(MemorySegment domain, MemorySegment memory, int access) throws IOException {
    pointer =
        Verbs.load()
            .registerMemory
            .pointerOf(domain, memory, memory.byteSize(), access)
            .reinterpret(MemoryRegionLayout.BYTES);
    localKey = pointer.get(ValueLayout.JAVA_INT, MemoryRegionLayout.LOCAL_KEY);
    remoteKey = pointer.get(ValueLayout.JAVA_INT, MemoryRegionLayout.REMOTE_KEY);
  }

  @Override
  public int localKey() {
    return localKey;
  }

  @Override
  public int remoteKey() {
    return remoteKey;
  }

  @Override
  void destroy() throws IOException {
    Verbs.load().deregisterMemory.release(pointer);
  }
}
