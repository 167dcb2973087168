package org.slipstream.ntb.sisci;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** One DMA transfer at a time, {@code sci_dma_queue_t}. One thread at a time. */
public final class DmaQueue implements AutoCloseable {
  private static final MethodHandle START = Shape.of("VAAALLLAAIA");
  private static final MethodHandle AWAIT = Shape.of("IAIIA");
  private static final MethodHandle STATE = Shape.of("IA");
  private static final MethodHandle ABORT = Shape.of("VAIA");

  private final SisciLibrary library;
  private final MemorySegment handle;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment error = arena.allocate(JAVA_INT);

  DmaQueue(SisciLibrary library, MemorySegment handle) {
    this.library = library;
    this.handle = handle;
  }

  /**
   * Starts a transfer. Allocates nothing unless it fails.
   *
   * @param from a local segment, prepared on the queue's adapter
   * @param to a connected segment
   * @param fromOffset where in the local segment
   * @param bytes how many
   * @param toOffset where in the remote segment
   * @throws SisciException the previous transfer is not done, or the range is wrong
   */
  public void start(LocalSegment from, RemoteSegment to, long fromOffset, long bytes, long toOffset)
      throws SisciException {
    error.set(JAVA_INT, 0, 0);
    try {
      START.invokeExact(
          library.function("SCIStartDmaTransfer"),
          handle,
          from.handle(),
          to.handle(),
          fromOffset,
          bytes,
          toOffset,
          MemorySegment.NULL,
          MemorySegment.NULL,
          0,
          error);
    } catch (Throwable t) {
      throw Shape.unexpected(t);
    }
    check("SCIStartDmaTransfer");
  }

  /**
   * Waits for the end of the transfer in the kernel.
   *
   * @param timeoutMillis how long
   * @return the state
   * @throws SisciException the time is over, for example
   */
  public DmaState await(int timeoutMillis) throws SisciException {
    error.set(JAVA_INT, 0, 0);
    int state;
    try {
      state =
          (int)
              AWAIT.invokeExact(
                  library.function("SCIWaitForDMAQueue"), handle, timeoutMillis, 0, error);
    } catch (Throwable t) {
      throw Shape.unexpected(t);
    }
    check("SCIWaitForDMAQueue");
    return DmaState.of(state);
  }

  /**
   * Looks at the state.
   *
   * @return the state
   */
  public DmaState state() {
    try {
      return DmaState.of((int) STATE.invokeExact(library.function("SCIDMAQueueState"), handle));
    } catch (Throwable t) {
      throw Shape.unexpected(t);
    }
  }

  /**
   * Asks for the end of a transfer that is under way; {@link #state} says when it has come to it.
   *
   * @throws SisciException the driver does not do that
   */
  public void abort() throws SisciException {
    error.set(JAVA_INT, 0, 0);
    try {
      ABORT.invokeExact(library.function("SCIAbortDMAQueue"), handle, 0, error);
    } catch (Throwable t) {
      throw Shape.unexpected(t);
    }
    check("SCIAbortDMAQueue");
  }

  private void check(String function) throws SisciException {
    int code = error.get(JAVA_INT, 0);
    if (code != 0) {
      throw new SisciException(function, code, library.errorText(code));
    }
  }

  @Override
  public void close() throws SisciException {
    library.release("SCIRemoveDMAQueue", handle, 0);
    arena.close();
  }
}
