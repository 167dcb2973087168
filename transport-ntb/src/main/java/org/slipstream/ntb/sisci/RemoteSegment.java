package org.slipstream.ntb.sisci;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/** A connection to memory of another node, {@code sci_remote_segment_t}. */
public final class RemoteSegment implements AutoCloseable {
  private static final MethodHandle SIZE = Shape.of("LA");
  private static final MethodHandle MAP = Shape.of("AAALLAIA");
  private static final MethodHandle AWAIT = Shape.of("IAAIIA");

  private final SisciLibrary library;
  private final MemorySegment handle;

  RemoteSegment(SisciLibrary library, MemorySegment handle) {
    this.library = library;
    this.handle = handle;
  }

  MemorySegment handle() {
    return handle;
  }

  /**
   * The size of the segment.
   *
   * @return bytes
   */
  public long bytes() {
    try {
      return (long) SIZE.invokeExact(library.function("SCIGetRemoteSegmentSize"), handle);
    } catch (Throwable t) {
      throw Shape.unexpected(t);
    }
  }

  /**
   * Maps it into this process. Uses up the adapter's window while it lasts.
   *
   * @param offset of the map in the segment
   * @param bytes of the map
   * @return write-combining memory: stores are cheap and late, loads cost microseconds
   * @throws SisciException out of range, or no window left
   */
  public SegmentMap map(long offset, long bytes) throws SisciException {
    return SegmentMap.map(library, MAP, "SCIMapRemoteSegment", handle, offset, bytes);
  }

  /**
   * Waits for something to happen to the connection.
   *
   * @param timeoutMillis 0 = looks only
   * @return what happened; null if nothing did
   * @throws SisciException the handle is dead
   */
  public @Nullable SegmentEvent awaitEvent(int timeoutMillis) throws SisciException {
    try (ErrorCell error = new ErrorCell(library)) {
      MemorySegment status = error.allocateInt();
      int reason;
      try {
        reason =
            (int)
                AWAIT.invokeExact(
                    library.function("SCIWaitForRemoteSegmentEvent"),
                    handle,
                    status,
                    timeoutMillis,
                    0,
                    error.address());
      } catch (Throwable t) {
        throw Shape.unexpected(t);
      }
      if (error.code() == SisciError.TIMEOUT.code()) {
        return null;
      }
      error.check("SCIWaitForRemoteSegmentEvent");
      return SegmentEvent.of(reason);
    }
  }

  @Override
  public void close() throws SisciException {
    library.release("SCIDisconnectSegment", handle, 0);
  }
}
