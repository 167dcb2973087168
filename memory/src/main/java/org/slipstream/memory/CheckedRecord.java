package org.slipstream.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * A record that says whether it is whole, for values of more than 8 bytes, which a read may find
 * torn. Its writer {@link #seal seals} it in local memory and writes it in one operation; a reader
 * reads it into local memory, and reads it again unless it {@link #isWhole is whole}. One writer at
 * a time. Any medium, because nothing is asked of the order in which the bytes arrive.
 *
 * <pre>
 *   | version(8) | payload, n bytes | zero to a multiple of 8 | CRC-32C of all before(4), low half of the version(4) |
 * </pre>
 *
 * <p>A torn record is found out by the version at both ends or by the checksum; one that mixes two
 * versions passes with a probability of 2<sup>-32</sup> where the ends agree. A record of zeros
 * only, as in a new region, is not whole.
 */
public final class CheckedRecord {
  private static final int FRAME_BYTES = 2 * Long.BYTES;
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private CheckedRecord() {}

  /**
   * How large a record is.
   *
   * @param payload bytes of its value
   * @return bytes of the record, a multiple of 8
   */
  public static long bytesFor(long payload) {
    return FRAME_BYTES + (payload + Long.BYTES - 1 & -Long.BYTES);
  }

  /**
   * The value in a record.
   *
   * @param record in local memory
   * @param payload bytes of the value
   * @return that part of it
   */
  public static MemorySegment payload(MemorySegment record, long payload) {
    return record.asSlice(Long.BYTES, payload);
  }

  /**
   * Makes a record whole, after its value was set and before it is written.
   *
   * @param record in local memory, all of it
   * @param version another one than the last; not 0
   */
  public static void seal(MemorySegment record, long version) {
    record.set(LONG, 0, version);
    record.set(LONG, record.byteSize() - Long.BYTES, tail(record, version));
  }

  /**
   * Whether a record that was read is one that was sealed.
   *
   * @param record in local memory, all of it: what can not change any more
   * @return false if it is torn, or was never written: to be read again
   */
  public static boolean isWhole(MemorySegment record) {
    long version = version(record);
    return version != 0
        && record.get(LONG, record.byteSize() - Long.BYTES) == tail(record, version);
  }

  /**
   * Which version it is.
   *
   * @param record that is whole
   * @return the number with which it was sealed
   */
  public static long version(MemorySegment record) {
    return record.get(LONG, 0);
  }

  private static long tail(MemorySegment record, long version) {
    CRC32C crc = new CRC32C();
    crc.update(record.asSlice(0, record.byteSize() - Long.BYTES).asByteBuffer());
    return crc.getValue() | version << Integer.SIZE;
  }
}
