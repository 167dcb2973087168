package org.slipstream.ntb;

import java.io.Closeable;
import java.lang.foreign.MemorySegment;

/** Memory of ours that other nodes can map. */
interface Exported extends Closeable {

  /** Its segment id. */
  int id();

  /** Plain memory, read by us. */
  MemorySegment memory();

  /** Takes it away; later accesses through {@link #memory} are {@link IllegalStateException}s. */
  @Override
  void close();
}
