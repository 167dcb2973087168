package org.slipstream.ntb;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Memory of another node, mapped to be written. */
interface Imported extends Closeable {

  /** What is known about the way to it. */
  enum Health {
    /** It can be used. */
    GOOD,
    /** The link is down, or stores have been lost. */
    BROKEN,
    /** Its owner has gone. */
    GONE
  }

  /** To be stored into, and loaded from only to read back. */
  MemorySegment memory();

  /** Stores before it are on their way before stores after it. Nanoseconds; any thread. */
  void flush();

  /**
   * Loads across the bridge: microseconds.
   *
   * @param offset where from
   * @param out filled
   */
  void read(long offset, byte[] out) throws IOException;

  /** Looks at what has happened since the last call; some microseconds; any thread. */
  Health health();

  /** Something that was stored here may be lost, or the owner is gone; final. Any thread; cheap. */
  boolean isBroken();

  /** Whether stores can be lost while later ones arrive. The same at both ends of a fabric. */
  boolean losesStores();

  /** Says whether the stores of one thread arrive. */
  interface Check extends Closeable {
    /** Whether everything stored since the last call has arrived; microseconds. */
    boolean arrived();

    @Override
    void close();
  }

  /** A check for one writer; null if stores can not be lost, or are not to be checked. */
  @Nullable Check createCheck();

  /** Memory from which {@link #transfer} may copy, as long as the import. */
  MemorySegment mirror();

  /**
   * From how many bytes on {@link #transfer} beats plain stores.
   *
   * @return {@link Long#MAX_VALUE} if never
   */
  long crossover();

  /**
   * Copies from the mirror by an engine and returns when the bytes have arrived. Allocates nothing.
   *
   * @param offset the same in both
   * @param bytes how many
   * @return false if the engine is busy or has failed: nothing is known to have arrived
   */
  default boolean transfer(long offset, long bytes) {
    int channel = begin(offset, bytes);
    return channel >= 0 && end(channel);
  }

  /**
   * Begins what {@link #transfer} does, and returns at once. Until the {@link #end} the range of
   * the mirror may be read and that of the import be stored into. Allocates nothing.
   *
   * @param offset the same in both
   * @param bytes how many
   * @return what to end it by; negative if no engine is free, and nothing was begun
   */
  default int begin(long offset, long bytes) {
    return -1;
  }

  /**
   * Returns when the engine is done with a transfer.
   *
   * @param channel from {@link #begin}, to be ended once
   * @return false if the bytes may not have arrived
   */
  default boolean end(int channel) {
    return false;
  }

  @Override
  void close();
}
