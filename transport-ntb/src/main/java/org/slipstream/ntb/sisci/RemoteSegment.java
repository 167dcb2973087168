package org.slipstream.ntb.sisci;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
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
  private final Arena arena = Arena.ofShared();
  private final MemorySegment error = arena.allocate(JAVA_INT);
  private final MemorySegment status = arena.allocate(JAVA_INT);

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
   * Waits for something to happen to the connection. One thread at a time; allocates nothing.
   *
   * @param timeoutMillis 0 = looks only
   * @return what happened; null if nothing did
   * @throws SisciException the handle is dead
   */
  public @Nullable SegmentEvent awaitEvent(int timeoutMillis) throws SisciException {
    error.set(JAVA_INT, 0, 0);
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
                  error);
    } catch (Throwable t) {
      throw Shape.unexpected(t);
    }
    int code = error.get(JAVA_INT, 0);
    if (code == SisciError.TIMEOUT.code()) {
      return null;
    }
    if (code != 0) {
      throw new SisciException("SCIWaitForRemoteSegmentEvent", code, library.errorText(code));
    }
    return SegmentEvent.of(reason);
  }

  @Override
  public void close() throws SisciException {
    library.release("SCIDisconnectSegment", handle, 0);
    arena.close();
  }
}
