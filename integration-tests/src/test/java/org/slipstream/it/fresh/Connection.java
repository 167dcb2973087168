package org.slipstream.it.fresh;

import java.io.Closeable;
import java.io.IOException;

/** One end of a connection, whatever the API: a thread of its own blocks in it. */
interface Connection extends Closeable {

  /** Some bytes, or -1 at the end. */
  int read(byte[] into, int offset, int length) throws IOException;

  /** All bytes. */
  void write(byte[] from, int offset, int length) throws IOException;

  void shutdownOutput() throws IOException;
}
