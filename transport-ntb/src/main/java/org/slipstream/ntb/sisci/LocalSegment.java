package org.slipstream.ntb.sisci;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/** Memory of this node that others may map, {@code sci_local_segment_t}. */
public final class LocalSegment implements AutoCloseable {
  private static final MethodHandle PREPARE = Shape.of("VAIIA");
  private static final MethodHandle MAP = Shape.of("AAALLAIA");
  private static final MethodHandle AWAIT = Shape.of("IAAAIIA");

  private final SisciLibrary library;
  private final MemorySegment handle;

  LocalSegment(SisciLibrary library, MemorySegment handle) {
    this.library = library;
    this.handle = handle;
  }

  MemorySegment handle() {
    return handle;
  }

  /**
   * Makes it reachable through an adapter.
   *
   * @param adapter which
   * @param flags of {@link SisciConstants}
   * @throws SisciException there is no such adapter, for example
   */
  public void prepare(int adapter, int flags) throws SisciException {
    adapterCall("SCIPrepareSegment", adapter, flags);
  }

  /**
   * Others may connect from now on.
   *
   * @param adapter through which
   * @throws SisciException the id is used there, for example
   */
  public void setAvailable(int adapter) throws SisciException {
    adapterCall("SCISetSegmentAvailable", adapter, 0);
  }

  /**
   * No peer may connect any more.
   *
   * @param adapter through which
   * @param flags of {@link SisciConstants}
   * @throws SisciException it is not available
   */
  public void setUnavailable(int adapter, int flags) throws SisciException {
    adapterCall("SCISetSegmentUnavailable", adapter, flags);
  }

  private void adapterCall(String function, int adapter, int flags) throws SisciException {
    try (ErrorCell error = new ErrorCell(library::errorText)) {
      try {
        PREPARE.invokeExact(library.function(function), handle, adapter, flags, error.address());
      } catch (Throwable t) {
        throw Shape.unexpected(t);
      }
      error.check(function);
    }
  }

  /**
   * Maps it into this process.
   *
   * @param offset of the map in the segment
   * @param bytes of the map
   * @return plain, cached memory
   * @throws SisciException out of range
   */
  public SegmentMap map(long offset, long bytes) throws SisciException {
    return SegmentMap.map(library, MAP, "SCIMapLocalSegment", handle, offset, bytes);
  }

  /**
   * Waits for something to happen to the segment.
   *
   * @param timeoutMillis 0 = looks only
   * @return what happened; null if nothing did
   * @throws SisciException the segment is gone
   */
  public @Nullable SegmentEvent awaitEvent(int timeoutMillis) throws SisciException {
    try (ErrorCell error = new ErrorCell(library::errorText)) {
      MemorySegment node = error.allocateInt();
      MemorySegment adapter = error.allocateInt();
      int reason;
      try {
        reason =
            (int)
                AWAIT.invokeExact(
                    library.function("SCIWaitForLocalSegmentEvent"),
                    handle,
                    node,
                    adapter,
                    timeoutMillis,
                    0,
                    error.address());
      } catch (Throwable t) {
        throw Shape.unexpected(t);
      }
      if (error.code() == SisciError.TIMEOUT.code()) {
        return null;
      }
      error.check("SCIWaitForLocalSegmentEvent");
      return SegmentEvent.of(reason);
    }
  }

  /** Removes it, even while others are connected: they are told. */
  @Override
  public void close() throws SisciException {
    library.release("SCIRemoveSegment", handle, library.constants().forceRemove());
  }
}
