package org.slipstream.ntb.sisci;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** A segment in the address space of this process, {@code sci_map_t}. */
public final class SegmentMap implements AutoCloseable {
  private static final MethodHandle CREATE_SEQUENCE = Shape.of("VAAIA");
  private static final MethodHandle COPY = Shape.of("VAAALLIA");

  private final SisciLibrary library;
  private final MemorySegment handle;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;

  @SuppressWarnings("restricted") // the library says where and how long the map is
  private SegmentMap(
      SisciLibrary library, MemorySegment handle, MemorySegment address, long bytes) {
    this.library = library;
    this.handle = handle;
    this.memory = address.reinterpret(bytes, arena, null);
  }

  static SegmentMap map(
      SisciLibrary library,
      MethodHandle shape,
      String function,
      MemorySegment segment,
      long offset,
      long bytes)
      throws SisciException {
    try (ErrorCell error = new ErrorCell(library::errorText)) {
      MemorySegment out = error.allocateHandle();
      MemorySegment address;
      try {
        address =
            (MemorySegment)
                shape.invokeExact(
                    library.function(function),
                    segment,
                    out,
                    offset,
                    bytes,
                    MemorySegment.NULL,
                    0,
                    error.address());
      } catch (Throwable t) {
        throw Shape.unexpected(t);
      }
      error.check(function);
      return new SegmentMap(library, out.get(ADDRESS, 0), address, bytes);
    }
  }

  /**
   * The bytes. Of a remote segment they are to be stored only.
   *
   * @return valid until the map is closed
   */
  public MemorySegment memory() {
    return memory;
  }

  /**
   * Makes a sequence, which says whether stores into this map arrive. Of remote segments only.
   *
   * @return not yet started
   * @throws SisciException the map is a local one, for example
   */
  public Sequence createSequence() throws SisciException {
    try (ErrorCell error = new ErrorCell(library::errorText)) {
      MemorySegment out = error.allocateHandle();
      try {
        CREATE_SEQUENCE.invokeExact(
            library.function("SCICreateMapSequence"), handle, out, 0, error.address());
      } catch (Throwable t) {
        throw Shape.unexpected(t);
      }
      error.check("SCICreateMapSequence");
      return new Sequence(library, out.get(ADDRESS, 0));
    }
  }

  /**
   * Copies through the library, which may know a faster way than the processor's stores.
   *
   * @param source native memory
   * @param offset where to, in the map
   * @param bytes how many
   * @throws SisciException out of range
   */
  public void copyFrom(MemorySegment source, long offset, long bytes) throws SisciException {
    copy(source, offset, bytes, 0);
  }

  /**
   * Reads back through the library. Slow: the answer crosses the bus, behind everything that the
   * peer has sent before.
   *
   * @param target native memory
   * @param offset where from, in the map
   * @param bytes how many
   * @throws SisciException out of range
   */
  public void copyTo(MemorySegment target, long offset, long bytes) throws SisciException {
    copy(target, offset, bytes, library.constants().blockRead());
  }

  private void copy(MemorySegment other, long offset, long bytes, int flags) throws SisciException {
    try (ErrorCell error = new ErrorCell(library::errorText)) {
      try {
        COPY.invokeExact(
            library.function("SCIMemCpy"),
            MemorySegment.NULL,
            other,
            handle,
            offset,
            bytes,
            flags,
            error.address());
      } catch (Throwable t) {
        throw Shape.unexpected(t);
      }
      error.check("SCIMemCpy");
    }
  }

  /** The memory may be used no more; a caller that tries gets an {@link IllegalStateException}. */
  @Override
  public void close() throws SisciException {
    arena.close();
    library.release("SCIUnmapSegment", handle, 0);
  }
}
