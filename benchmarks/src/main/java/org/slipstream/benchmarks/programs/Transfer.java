package org.slipstream.benchmarks.programs;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** One way to move a buffer through a channel; there is one for each {@link Mode}. */
interface Transfer extends Closeable {
  /** Reads at least one byte, or returns -1 at the end of the stream. */
  int read(ByteBuffer into) throws IOException;

  /** Writes all that the buffer holds. */
  void write(ByteBuffer from) throws IOException;
}
