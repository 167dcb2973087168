package org.slipstream.ntb.sisci;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;

/** The {@code sci_error_t *} of one call, and its other out-arguments. One thread. */
final class ErrorCell implements AutoCloseable {
  private final IntFunction<String> errorText;
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment cell = arena.allocate(JAVA_INT);

  /** With what the library says about a code. */
  ErrorCell(IntFunction<String> errorText) {
    this.errorText = errorText;
  }

  Arena arena() {
    return arena;
  }

  MemorySegment address() {
    return cell;
  }

  MemorySegment allocateInt() {
    return arena.allocate(JAVA_INT);
  }

  MemorySegment allocateHandle() {
    return arena.allocate(ADDRESS);
  }

  int code() {
    return cell.get(JAVA_INT, 0);
  }

  void check(String function) throws SisciException {
    if (code() != 0) {
      throw new SisciException(function, code(), errorText.apply(code()));
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
