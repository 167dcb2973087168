package org.slipstream.ntb;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The sum over one record at a time, in memory of this process. One thread; allocates nothing. */
final class RecordSum {
  private final CRC32C crc = new CRC32C();
  private final ByteBuffer bytes;

  /**
   * Of records that lie at the start of some memory.
   *
   * @param record no memory that a peer can truncate: the checksum of the JDK does not survive that
   */
  RecordSum(MemorySegment record) {
    this.bytes = record.asByteBuffer();
  }

  /** The sum of a record that has so many bytes behind its head. */
  int of(int behind) {
    crc.reset();
    crc.update(bytes.limit(LaneLayout.SUM).position(LaneLayout.NUMBER));
    crc.update(bytes.limit(LaneLayout.HEAD_BYTES + behind).position(LaneLayout.KIND));
    return (int) crc.getValue();
  }
}
