package org.slipstream.ntb.sisci;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** An interrupt of another node that carries bytes, {@code sci_remote_data_interrupt_t}. */
public final class RemoteDataInterrupt implements AutoCloseable {
  private static final MethodHandle TRIGGER = Shape.of("VAAIIA");

  private final SisciLibrary library;
  private final MemorySegment handle;

  RemoteDataInterrupt(SisciLibrary library, MemorySegment handle) {
    this.library = library;
    this.handle = handle;
  }

  /**
   * Sends a message.
   *
   * @param message at most 64 bytes: more is not known to work
   * @return false if the receiver's queue is full; it will come and look
   * @throws SisciException the receiver is gone
   */
  public boolean trigger(byte[] message) throws SisciException {
    try (ErrorCell error = new ErrorCell(library::errorText)) {
      MemorySegment data = error.arena().allocateFrom(JAVA_BYTE, message);
      try {
        TRIGGER.invokeExact(
            library.function("SCITriggerDataInterrupt"),
            handle,
            data,
            message.length,
            0,
            error.address());
      } catch (Throwable t) {
        throw Shape.unexpected(t);
      }
      if (error.code() == SisciError.NOSPC.code()) {
        return false;
      }
      error.check("SCITriggerDataInterrupt");
      return true;
    }
  }

  @Override
  public void close() throws SisciException {
    library.release("SCIDisconnectDataInterrupt", handle, 0);
  }
}
