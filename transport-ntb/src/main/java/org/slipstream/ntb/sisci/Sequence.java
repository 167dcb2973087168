package org.slipstream.ntb.sisci;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Says whether stores into a remote map have arrived, {@code sci_sequence_t}. One thread at a time.
 * A check costs microseconds, so it belongs to commit points and not to messages.
 */
public final class Sequence implements AutoCloseable {
  private static final MethodHandle CALL = Shape.of("IAIA");

  private final SisciLibrary library;
  private final MemorySegment handle;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment error = arena.allocate(JAVA_INT);

  Sequence(SisciLibrary library, MemorySegment handle) {
    this.library = library;
    this.handle = handle;
  }

  /**
   * Starts counting. After an error this is repeated until it says {@link SequenceStatus#OK}, which
   * then says nothing about the stores before.
   *
   * @return whether the link can be used
   */
  public SequenceStatus start() {
    return call("SCIStartSequence");
  }

  /**
   * Whether everything since the start, or since the last check, has arrived. Flushes.
   *
   * @return what to do
   */
  public SequenceStatus check() {
    return call("SCICheckSequence");
  }

  private SequenceStatus call(String function) {
    error.set(JAVA_INT, 0, 0);
    int status;
    try {
      status = (int) CALL.invokeExact(library.function(function), handle, 0, error);
    } catch (Throwable t) {
      throw Shape.unexpected(t);
    }
    SequenceStatus result = SequenceStatus.of(status);
    // An error without a status would be taken for "arrived".
    return error.get(JAVA_INT, 0) != 0 && result == SequenceStatus.OK
        ? SequenceStatus.NOT_RETRIABLE
        : result;
  }

  @Override
  public void close() throws SisciException {
    library.release("SCIRemoveSequence", handle, 0);
    arena.close();
  }
}
