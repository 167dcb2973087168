package org.slipstream.it.process;

import java.util.ArrayList;
import java.util.List;

/** Fills the heap of this process until the JVM says that it is full, again and again. */
final class FullHeap {
  private static final int LARGEST = 1 << 20;
  private static final int SMALLEST = 16;
  private static final long FULL_NS = 40_000_000;
  private static final long PAUSE_MS = 60;

  private FullHeap() {}

  /** Returns how often it was full; takes so many milliseconds. */
  static int fill(long millis) throws InterruptedException {
    List<byte[]> hoard = new ArrayList<>(LARGEST);
    long end = System.nanoTime() + millis * 1_000_000;
    int full = 0;
    while (System.nanoTime() - end < 0) {
      hoard(hoard);
      full++;
      long until = System.nanoTime() + FULL_NS;
      while (System.nanoTime() - until < 0) {
        Thread.onSpinWait();
      }
      hoard.clear();
      Thread.sleep(PAUSE_MS);
    }
    return full;
  }

  /** Smaller and smaller pieces, until nothing fits between them. */
  private static void hoard(List<byte[]> into) {
    for (int bytes = LARGEST; bytes >= SMALLEST; ) {
      try {
        into.add(new byte[bytes]);
      } catch (OutOfMemoryError e) {
        bytes >>= 1;
      }
    }
  }
}
