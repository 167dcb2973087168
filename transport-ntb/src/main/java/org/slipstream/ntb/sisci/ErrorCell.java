package org.slipstream.ntb.sisci;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The {@code sci_error_t *} of one call, and its other out-arguments. One thread. */
final class ErrorCell implements AutoCloseable {
  private final SisciLibrary library;
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment cell = arena.allocate(JAVA_INT);

  ErrorCell(SisciLibrary library) {
    this.library = library;
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
      throw new SisciException(function, code(), library.errorText(code()));
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
