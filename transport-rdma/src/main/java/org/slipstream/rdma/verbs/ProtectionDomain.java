package org.slipstream.rdma.verbs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.slipstream.transport.MemoryAccess;

/** The memory regions and queue pairs that may be used together. Event thread only. */
public final class ProtectionDomain extends Resource {
  final DeviceContext context;
  final MemorySegment pointer;

  /**
   * Makes a domain: objects of two domains can not be used together.
   *
   * @param context the device
   * @throws IOException if the device has no more
   */
  public ProtectionDomain(DeviceContext context) throws IOException {
    this.context = context;
    this.pointer = Verbs.load().allocProtectionDomain.pointerOf(context.pointer);
  }

  /**
   * Registers memory that a peer may write and read.
   *
   * @param memory stays valid until the region is closed
   * @return the region
   * @throws IOException e.g. if RLIMIT_MEMLOCK is reached
   */
  public MemoryRegion registerWindow(MemorySegment memory) throws IOException {
    return new MemoryRegion(
        pointer,
        memory,
        MemoryRegionLayout.ACCESS_LOCAL_WRITE
            | MemoryRegionLayout.ACCESS_REMOTE_WRITE
            | MemoryRegionLayout.ACCESS_REMOTE_READ);
  }

  /**
   * Registers memory of which a peer may do what it was granted, and no more.
   *
   * @param memory stays valid until the region is closed
   * @param access what the peer may do
   * @return the region
   * @throws IOException e.g. if RLIMIT_MEMLOCK is reached
   */
  public MemoryRegion registerGranted(MemorySegment memory, MemoryAccess access)
      throws IOException {
    return new MemoryRegion(
        pointer,
        memory,
        MemoryRegionLayout.ACCESS_LOCAL_WRITE
            | (access.write() ? MemoryRegionLayout.ACCESS_REMOTE_WRITE : 0)
            | (access.read() ? MemoryRegionLayout.ACCESS_REMOTE_READ : 0)
            | (access.atomic() ? MemoryRegionLayout.ACCESS_REMOTE_ATOMIC : 0));
  }

  /**
   * Registers memory that is read into, and that only our own work requests use. On iWARP the
   * answer to a read is a write of the peer's, so that it may write there; it learns the key by the
   * read.
   *
   * @param memory stays valid until the region is closed
   * @return the region
   * @throws IOException e.g. if RLIMIT_MEMLOCK is reached
   */
  public MemoryRegion registerSink(MemorySegment memory) throws IOException {
    return context.isIwarp() ? registerWindow(memory) : registerLocal(memory);
  }

  /**
   * Registers memory that only our own work requests use.
   *
   * @param memory stays valid until the region is closed
   * @return the region
   * @throws IOException e.g. if RLIMIT_MEMLOCK is reached
   */
  public MemoryRegion registerLocal(MemorySegment memory) throws IOException {
    return new MemoryRegion(pointer, memory, MemoryRegionLayout.ACCESS_LOCAL_WRITE);
  }

  /**
   * For {@code rdma_create_qp}.
   *
   * @return {@code struct ibv_pd *}
   */
  public MemorySegment pointer() {
    return pointer;
  }

  @Override
  void destroy() throws IOException {
    Verbs.load().freeProtectionDomain.release(pointer);
  }
}
