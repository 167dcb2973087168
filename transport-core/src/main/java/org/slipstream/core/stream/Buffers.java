package org.slipstream.core.stream;

import java.nio.ByteBuffer;

/** What is asked of programs' buffers. */
final class Buffers {
  private Buffers() {}

  static boolean haveRemaining(ByteBuffer[] buffers, int from, int to) {
    for (int i = from; i < to; i++) {
      if (buffers[i].hasRemaining()) {
        return true;
      }
    }
    return false;
  }

  static long remaining(ByteBuffer[] buffers, int from, int to) {
    long all = 0;
    for (int i = from; i < to; i++) {
      all += buffers[i].remaining();
    }
    return all;
  }

  /** Takes what is there, and drops it. */
  static long swallow(ByteBuffer[] buffers, int from, int to) {
    long all = remaining(buffers, from, to);
    for (int i = from; i < to; i++) {
      buffers[i].position(buffers[i].limit());
    }
    return all;
  }
}
