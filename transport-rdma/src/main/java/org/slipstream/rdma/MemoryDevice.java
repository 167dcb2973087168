package org.slipstream.rdma;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.slipstream.rdma.verbs.CompletionQueue;
import org.slipstream.rdma.verbs.DeviceContext;
import org.slipstream.rdma.verbs.DeviceLimits;
import org.slipstream.rdma.verbs.MemoryRegion;
import org.slipstream.rdma.verbs.ProtectionDomain;
import org.slipstream.transport.MemoryAccess;

/**
 * What one-sided memory has on one device: a protection domain for all of it, so that a region is
 * registered once for each grant and not for each peer; the completion queue of queue pairs that
 * only answer, on which nothing ever completes; and the word that peers read to flush. Safe for any
 * thread; registering may sleep.
 */
final class MemoryDevice {
  /** Reads and atomic operations under way on a queue pair, if the devices can so many. */
  private static final int MOST_READS = 16;

  private static final MemoryAccess READ_ONLY = new MemoryAccess(true, false, false);

  private final Closing objects = new Closing();
  private final DeviceLimits limits;
  private final boolean iwarp;
  private final ProtectionDomain domain;
  private final CompletionQueue idle;
  private final MemorySegment flushWord;
  private final MemoryRegion flushRegion;

  /** Guarded by this. */
  private final Set<MemoryRegion> regions = new HashSet<>();

  private boolean closed;

  MemoryDevice(DeviceContext context) throws IOException {
    try {
      Arena arena = Arena.ofShared();
      objects.add(arena::close);
      limits = context.limits();
      iwarp = context.isIwarp();
      domain = new ProtectionDomain(context);
      objects.add(domain::close);
      idle = new CompletionQueue(context, 1);
      objects.add(idle::close);
      flushWord = arena.allocate(Long.BYTES, 4096);
      flushRegion = domain.registerGranted(flushWord, READ_ONLY);
      objects.add(flushRegion::close);
    } catch (IOException | RuntimeException | Error e) {
      objects.close();
      throw Closing.asIOException(e);
    }
  }

  ProtectionDomain domain() {
    return domain;
  }

  CompletionQueue idle() {
    return idle;
  }

  /** How many reads and atomic operations may be under way on a queue pair. */
  int reads() {
    return Math.clamp(Math.min(limits.readsAnswered(), limits.readsAsked()), 1, MOST_READS);
  }

  boolean hasAtomics() {
    return limits.atomics() && !iwarp;
  }

  /** How a peer reaches memory that is registered here. */
  MemoryDescriptor describe(MemorySegment memory, MemoryRegion region) {
    return new MemoryDescriptor(
        memory.address(),
        region.remoteKey(),
        flushWord.address(),
        flushRegion.remoteKey(),
        hasAtomics());
  }

  /** Lets peers that have the key do what was granted. */
  synchronized MemoryRegion register(MemorySegment memory, MemoryAccess access) throws IOException {
    requireOpen();
    boolean atomic = access.atomic() && hasAtomics();
    MemoryRegion made =
        domain.registerGranted(memory, new MemoryAccess(access.read(), access.write(), atomic));
    regions.add(made);
    return made;
  }

  /** Memory of ours, to be read into and written from. */
  synchronized MemoryRegion registerLocal(MemorySegment memory) throws IOException {
    requireOpen();
    MemoryRegion made = domain.registerSink(memory);
    regions.add(made);
    return made;
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the device is gone");
    }
  }

  /** Whether a region is still registered. */
  synchronized boolean has(MemoryRegion region) {
    return regions.contains(region);
  }

  /** When it returns, no peer reaches the memory by that key. Idempotent. */
  synchronized void release(MemoryRegion region) {
    if (regions.remove(region)) {
      region.close();
    }
  }

  /** After the queue pairs. Idempotent. */
  synchronized void close() {
    closed = true;
    regions.forEach(MemoryRegion::close);
    regions.clear();
    objects.close();
  }
}
