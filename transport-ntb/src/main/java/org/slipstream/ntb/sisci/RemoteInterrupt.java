package org.slipstream.ntb.sisci;

import java.lang.foreign.MemorySegment;

/** An interrupt of another node, {@code sci_remote_interrupt_t}. */
public final class RemoteInterrupt implements AutoCloseable {
  private final SisciLibrary library;
  private final MemorySegment handle;

  RemoteInterrupt(SisciLibrary library, MemorySegment handle) {
    this.library = library;
    this.handle = handle;
  }

  /**
   * Wakes the thread that waits for it.
   *
   * @throws SisciException it is gone
   */
  public void trigger() throws SisciException {
    library.call("SCITriggerInterrupt", handle, 0);
  }

  @Override
  public void close() throws SisciException {
    library.release("SCIDisconnectInterrupt", handle, 0);
  }
}
