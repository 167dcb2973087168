package org.slipstream.shm;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.CLibrary;

/**
 * Takes storage out of the middle of a mapped file of a tmpfs, which Java can not. Used only where
 * native access is allowed already: shared memory must not be the cause of a warning of the JVM.
 * Reactor only.
 */
final class Holes {
  /** Frees the pages of a shared mapping and the storage behind them; in every Linux. */
  private static final int MADV_REMOVE = 9;

  private final BooleanSupplier allowed;
  private final LongSupplier pageBytes;

  /** Null until the first use, and for ever where it does not work. */
  private @Nullable MethodHandle madvise;

  /** Set with {@link #madvise}. */
  private long page;

  private boolean failed;

  /**
   * Makes none yet.
   *
   * @param allowed whether native access is, at the moment
   */
  Holes(BooleanSupplier allowed) {
    this(allowed, PageSize::ofKernel);
  }

  /** As {@link #Holes(BooleanSupplier)}, for a kernel whose pages are so large; asked once. */
  Holes(BooleanSupplier allowed, LongSupplier pageBytes) {
    this.allowed = allowed;
    this.pageBytes = pageBytes;
  }

  /** With the rights of the agent, or those that the user has given to this module. */
  static Holes asAllowed() {
    return new Holes(CLibrary::isAllowed);
  }

  /** Whether {@link #punch} may be tried. */
  boolean arePossible() {
    return !failed && allowed.getAsBoolean();
  }

  /**
   * Frees the storage behind a piece of a mapped file; the mapping stays. A piece that is not made
   * of whole pages is left alone: the kernel rounds its length up, and would take what the ring
   * behind it holds.
   *
   * @return false if that can not be done here
   */
  boolean punch(MemorySegment piece) {
    try {
      if (madvise == null) {
        page = pageBytes.getAsLong();
      }
      if (piece.address() % page != 0 || piece.byteSize() % page != 0) {
        failed = true;
        return false;
      }
      MethodHandle call = madvise;
      if (call == null) {
        call =
            CLibrary.link(
                "madvise",
                FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT));
        madvise = call;
      }
      failed = (int) call.invokeExact(piece, piece.byteSize(), MADV_REMOVE) != 0;
    } catch (Throwable e) {
      failed = true; // no such function
    }
    return !failed;
  }
}
