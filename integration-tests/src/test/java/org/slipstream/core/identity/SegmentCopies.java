package org.slipstream.core.identity;

/** Copies of segments in the queue of errors of a socket of this process. */
public final class SegmentCopies {
  private SegmentCopies() {}

  /** The kernel leaves a copy of each segment that is sent from now on, or no more. */
  public static void show(int descriptor, boolean on) {
    if (!KernelSocket.showSegments(descriptor, on)) {
      throw new AssertionError("the kernel shows no segments");
    }
  }
}
