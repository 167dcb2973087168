package org.slipstream.transport;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * Names one start of one JVM: 128 random bits.
 *
 * <p>A pid would not do: pids are reused, a program restarts on the same port, and two containers
 * may have the same pid for different processes.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record ProcessId(long high, long low) {

  /** Bytes that {@link #put} writes. */
  public static final int BYTES = 16;

  /**
   * Makes a new random id.
   *
   * @return an id that no other process has
   */
  public static ProcessId random() {
    return new ProcessId(RandomBits.next(), RandomBits.next());
  }

  /**
   * Reads an id written by {@link #put}.
   *
   * @param in at least {@link #BYTES} remaining bytes, big-endian
   * @return the id
   */
  public static ProcessId get(ByteBuffer in) {
    return new ProcessId(in.getLong(), in.getLong());
  }

  /**
   * Writes this id.
   *
   * @param out receives {@link #BYTES} bytes, big-endian
   */
  public void put(ByteBuffer out) {
    out.putLong(high).putLong(low);
  }

  /** Returns 32 lower-case hexadecimal digits: usable as a file name. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }
}
