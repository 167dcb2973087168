package org.slipstream.ntb.sisci;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/** An interrupt of ours that carries bytes, {@code sci_local_data_interrupt_t}. */
public final class LocalDataInterrupt implements AutoCloseable {
  private static final MethodHandle AWAIT = Shape.of("VAAAIIA");

  private final SisciLibrary library;
  private final MemorySegment handle;
  private final int number;

  LocalDataInterrupt(SisciLibrary library, MemorySegment handle, int number) {
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
   * Waits for a message; holds its platform thread.
   *
   * @param room the longest message, in bytes
   * @param timeoutMillis how long
   * @return the message, or null if the time is over
   * @throws SisciException the interrupt was removed
   */
  public byte @Nullable [] await(int room, int timeoutMillis) throws SisciException {
    try (ErrorCell error = new ErrorCell(library::errorText)) {
      MemorySegment data = error.arena().allocate(room, Long.BYTES);
      MemorySegment length = error.allocateInt();
      length.set(JAVA_INT, 0, room);
      try {
        AWAIT.invokeExact(
            library.function("SCIWaitForDataInterrupt"),
            handle,
            data,
            length,
            timeoutMillis,
            0,
            error.address());
      } catch (Throwable t) {
        throw Shape.unexpected(t);
      }
      if (error.code() == SisciError.TIMEOUT.code()) {
        return null;
      }
      error.check("SCIWaitForDataInterrupt");
      return data.asSlice(0, Math.clamp(length.get(JAVA_INT, 0), 0, room)).toArray(JAVA_BYTE);
    }
  }

  @Override
  public void close() throws SisciException {
    library.release("SCIRemoveDataInterrupt", handle, 0);
  }
}
