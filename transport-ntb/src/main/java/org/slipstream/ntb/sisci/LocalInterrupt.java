package org.slipstream.ntb.sisci;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** An interrupt that others trigger and we wait for, {@code sci_local_interrupt_t}. */
public final class LocalInterrupt implements AutoCloseable {
  private static final MethodHandle AWAIT = Shape.of("VAIIA");

  private final SisciLibrary library;
  private final MemorySegment handle;
  private final int number;

  LocalInterrupt(SisciLibrary library, MemorySegment handle, int number) {
    this.library = library;
    this.handle = handle;
    this.number = number;
  }

  /**
   * Its number.
   *
   * @return unique on the adapter
   */
  public int number() {
    return number;
  }

  /**
   * Waits; holds its platform thread.
   *
   * @param timeoutMillis how long
   * @return false if the time is over
   * @throws SisciException the interrupt was removed
   */
  public boolean await(int timeoutMillis) throws SisciException {
    try (ErrorCell error = new ErrorCell(library::errorText)) {
      try {
        AWAIT.invokeExact(
            library.function("SCIWaitForInterrupt"), handle, timeoutMillis, 0, error.address());
      } catch (Throwable t) {
        throw Shape.unexpected(t);
      }
      if (error.code() == SisciError.TIMEOUT.code()) {
        return false;
      }
      error.check("SCIWaitForInterrupt");
      return true;
    }
  }

  @Override
  public void close() throws SisciException {
    library.release("SCIRemoveInterrupt", handle, 0);
  }
}
