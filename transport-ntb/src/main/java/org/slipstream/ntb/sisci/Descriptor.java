package org.slipstream.ntb.sisci;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * A virtual device, {@code sci_desc_t}: everything else is made from one. A device holds few
 * resources of each kind, so each segment and interrupt gets its own.
 */
public final class Descriptor implements AutoCloseable {
  private static final MethodHandle OPEN = Shape.of("VAIA");
  private static final MethodHandle PROBE = Shape.of("IAIIIA");
  private static final MethodHandle CREATE_SEGMENT = Shape.of("VAAILAAIA");
  private static final MethodHandle CONNECT_SEGMENT = Shape.of("VAAIIIAAIIA");
  private static final MethodHandle CREATE_QUEUE = Shape.of("VAAIIIA");
  private static final MethodHandle CREATE_INTERRUPT = Shape.of("VAAIAAAIA");
  private static final MethodHandle CONNECT_INTERRUPT = Shape.of("VAAIIIIIA");

  final SisciLibrary library;
  private final MemorySegment handle;

  /**
   * Opens one.
   *
   * @param library the library
   * @throws SisciException for example without a driver
   */
  public Descriptor(SisciLibrary library) throws SisciException {
    this.library = library;
    try (ErrorCell error = new ErrorCell(library::errorText)) {
      MemorySegment out = error.allocateHandle();
      try {
        OPEN.invokeExact(library.function("SCIOpen"), out, 0, error.address());
      } catch (Throwable t) {
        throw Shape.unexpected(t);
      }
      error.check("SCIOpen");
      this.handle = out.get(ADDRESS, 0);
    }
  }

  /**
   * Whether a node can be reached.
   *
   * @param adapter our adapter
   * @param node its id
   * @return true if it answers
   */
  public boolean probe(int adapter, int node) {
    try (ErrorCell error = new ErrorCell(library::errorText)) {
      int answer =
          (int)
              PROBE.invokeExact(
                  library.function("SCIProbeNode"), handle, adapter, node, 0, error.address());
      return answer != 0 && error.code() == 0;
    } catch (Throwable t) {
      throw Shape.unexpected(t);
    }
  }

  /**
   * Makes memory of ours that others may map.
   *
   * @param segmentId unique on this node
   * @param bytes its size
   * @param flags of {@link SisciConstants}
   * @return the segment; not yet to be seen by others
   * @throws SisciException the id is used, or there is no memory
   */
  public LocalSegment createSegment(int segmentId, long bytes, int flags) throws SisciException {
    try (ErrorCell error = new ErrorCell(library::errorText)) {
      MemorySegment out = error.allocateHandle();
      try {
        CREATE_SEGMENT.invokeExact(
            library.function("SCICreateSegment"),
            handle,
            out,
            segmentId,
            bytes,
            MemorySegment.NULL,
            MemorySegment.NULL,
            flags,
            error.address());
      } catch (Throwable t) {
        throw Shape.unexpected(t);
      }
      error.check("SCICreateSegment");
      return new LocalSegment(library, out.get(ADDRESS, 0));
    }
  }

  /**
   * Tries to connect to a segment of another node. Does not wait: the library's own time-out is not
   * implemented, so the caller tries again.
   *
   * @param node the owner's node id
   * @param segmentId the segment
   * @param adapter our adapter
   * @return the segment, or null if it is not there now
   * @throws SisciException anything but "not there"
   */
  public @Nullable RemoteSegment connectSegment(int node, int segmentId, int adapter)
      throws SisciException {
    try (ErrorCell error = new ErrorCell(library::errorText)) {
      MemorySegment out = error.allocateHandle();
      try {
        CONNECT_SEGMENT.invokeExact(
            library.function("SCIConnectSegment"),
            handle,
            out,
            node,
            segmentId,
            adapter,
            MemorySegment.NULL,
            MemorySegment.NULL,
            library.constants().infinite(),
            0,
            error.address());
      } catch (Throwable t) {
        throw Shape.unexpected(t);
      }
      if (isAbsence(error.code())) {
        return null;
      }
      error.check("SCIConnectSegment");
      return new RemoteSegment(library, out.get(ADDRESS, 0));
    }
  }

  /** The other side is not there, or not yet. */
  private static boolean isAbsence(int code) {
    return switch (SisciError.of(code)) {
      case NO_SUCH_SEGMENT,
          CONNECTION_REFUSED,
          NO_SUCH_NODEID,
          NO_REMOTE_LINK_ACCESS,
          NO_LINK_ACCESS,
          NODE_NOT_RESPONDING,
          TIMEOUT ->
          true;
      default -> false;
    };
  }

  /**
   * Makes a DMA queue.
   *
   * @param adapter whose engine
   * @param entries how long it may get
   * @return an idle queue
   * @throws SisciException there is no engine, for example
   */
  public DmaQueue createDmaQueue(int adapter, int entries) throws SisciException {
    try (ErrorCell error = new ErrorCell(library::errorText)) {
      MemorySegment out = error.allocateHandle();
      try {
        CREATE_QUEUE.invokeExact(
            library.function("SCICreateDMAQueue"),
            handle,
            out,
            adapter,
            entries,
            0,
            error.address());
      } catch (Throwable t) {
        throw Shape.unexpected(t);
      }
      error.check("SCICreateDMAQueue");
      return new DmaQueue(library, out.get(ADDRESS, 0));
    }
  }

  /**
   * Makes an interrupt of ours that carries bytes.
   *
   * @param adapter where others trigger it
   * @return an interrupt with a number that the library chose
   * @throws SisciException there are no more
   */
  public LocalDataInterrupt createDataInterrupt(int adapter) throws SisciException {
    int[] number = new int[1];
    MemorySegment made = create(adapter, number);
    return new LocalDataInterrupt(library, made, number[0]);
  }

  private MemorySegment create(int adapter, int[] number) throws SisciException {
    try (ErrorCell error = new ErrorCell(library::errorText)) {
      MemorySegment out = error.allocateHandle();
      MemorySegment chosen = error.allocateInt();
      try {
        CREATE_INTERRUPT.invokeExact(
            library.function("SCICreateDataInterrupt"),
            handle,
            out,
            adapter,
            chosen,
            MemorySegment.NULL,
            MemorySegment.NULL,
            0,
            error.address());
      } catch (Throwable t) {
        throw Shape.unexpected(t);
      }
      error.check("SCICreateDataInterrupt");
      number[0] = chosen.get(JAVA_INT, 0);
      return out.get(ADDRESS, 0);
    }
  }

  /**
   * Tries to connect to an interrupt of another node that carries bytes; does not wait.
   *
   * @param node the owner's node id
   * @param adapter our adapter
   * @param number the interrupt
   * @return the interrupt, or null if it is not there now
   * @throws SisciException anything but "not there"
   */
  public @Nullable RemoteDataInterrupt connectDataInterrupt(int node, int adapter, int number)
      throws SisciException {
    MemorySegment found = connect(node, adapter, number);
    return found == null ? null : new RemoteDataInterrupt(library, found);
  }

  private @Nullable MemorySegment connect(int node, int adapter, int number) throws SisciException {
    try (ErrorCell error = new ErrorCell(library::errorText)) {
      MemorySegment out = error.allocateHandle();
      try {
        CONNECT_INTERRUPT.invokeExact(
            library.function("SCIConnectDataInterrupt"),
            handle,
            out,
            node,
            adapter,
            number,
            library.constants().infinite(),
            0,
            error.address());
      } catch (Throwable t) {
        throw Shape.unexpected(t);
      }
      if (isAbsence(error.code())) {
        return null;
      }
      error.check("SCIConnectDataInterrupt");
      return out.get(ADDRESS, 0);
    }
  }

  @Override
  public void close() throws SisciException {
    library.release("SCIClose", handle, 0);
  }
}
