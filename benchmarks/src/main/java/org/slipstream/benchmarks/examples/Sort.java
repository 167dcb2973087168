package org.slipstream.benchmarks.examples;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.zip.CRC32;

/**
 * Sorts records of the sort benchmark, 100 bytes with a key of 10, in several processes: each gives
 * every record to the process that has its range of keys, and sorts what it gets. Input, ranges and
 * rules are those of gensort and valsort: random keys, equal ranges, and an output that is in
 * order, has as many records and the same sum of checksums.
 */
final class Sort implements Program {
  static final int RECORD_BYTES = 100;
  static final int KEY_BYTES = 10;

  /** Records of one process: their numbers have to leave room for a part of the key. */
  static final int MOST_RECORDS = 1 << 24;

  private static final int NUMBER_BITS = 24;
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private final Exchange exchange;
  private final int records;
  private final MemorySegment input;
  private final MemorySegment output;
  private final long inputChecksum;

  /** Where the records of each sender begin, counted over all. */
  private final int[] first;

  private long[] order = new long[0];
  private int sorted;

  /** Bytes that one process may have for another: its share, and some more for chance. */
  static long capacity(int records, int workers) {
    long share = records / workers;
    return Math.min(records, share + share / 8 + 1000) * RECORD_BYTES;
  }

  Sort(Exchange exchange, int records, long seed) {
    this.exchange = exchange;
    this.records = records;
    this.input = Arena.ofAuto().allocate((long) records * RECORD_BYTES);
    long room = capacity(records, exchange.workers()) * exchange.workers();
    this.output = Arena.ofAuto().allocate(room);
    this.first = new int[exchange.workers() + 1];
    for (int i = 0; i < records; i++) {
      generate(input, i, (long) exchange.index() * records + i, seed);
    }
    this.inputChecksum = checksum(input, records);
  }

  /** The record of a number is the same whichever process makes it. */
  private static void generate(MemorySegment to, int place, long number, long seed) {
    SplittableRandom random = new SplittableRandom(seed ^ (number * 0x9E3779B97F4A7C15L));
    long at = (long) place * RECORD_BYTES;
    to.set(LONG, at, random.nextLong());
    to.set(SHORT, at + Long.BYTES, (short) random.nextInt());
    for (int i = 0; i < RECORD_BYTES - KEY_BYTES; i += Long.BYTES) {
      int left = RECORD_BYTES - KEY_BYTES - i;
      if (left >= Long.BYTES) {
        to.set(LONG, at + KEY_BYTES + i, number + i);
      } else {
        to.set(SHORT, at + KEY_BYTES + i, (short) number);
      }
    }
  }

  @Override
  public void run() throws IOException {
    long[] bytes = partition();
    exchange.exchange(bytes);
    sortIncoming();
    for (int i = 0; i < sorted; i++) {
      int number = number(order[i]);
      int from = sender(number);
      long at = (long) (number - first[from]) * RECORD_BYTES;
      MemorySegment.copy(
          exchange.incoming(from), at, output, (long) i * RECORD_BYTES, RECORD_BYTES);
    }
  }

  /** Copies each record to where its process will get it from. */
  private long[] partition() {
    int workers = exchange.workers();
    long[] bytes = new long[workers];
    for (int i = 0; i < records; i++) {
      long at = (long) i * RECORD_BYTES;
      int to = (int) Math.unsignedMultiplyHigh(input.get(LONG, at), workers);
      MemorySegment.copy(input, at, exchange.outgoing(to), bytes[to], RECORD_BYTES);
      bytes[to] += RECORD_BYTES;
    }
    return bytes;
  }

  /** Sorts the first 40 bits of the keys, each with the number of its record; then the few ties. */
  private void sortIncoming() {
    sorted = 0;
    for (int from = 0; from < exchange.workers(); from++) {
      first[from] = sorted;
      sorted += (int) (exchange.incoming(from).byteSize() / RECORD_BYTES);
    }
    first[exchange.workers()] = sorted;
    if (order.length < sorted) {
      order = new long[sorted];
    }
    for (int from = 0; from < exchange.workers(); from++) {
      MemorySegment in = exchange.incoming(from);
      for (int i = first[from]; i < first[from + 1]; i++) {
        long key = in.get(LONG, (long) (i - first[from]) * RECORD_BYTES) ^ Long.MIN_VALUE;
        order[i] = ((key >> NUMBER_BITS) << NUMBER_BITS) | i;
      }
    }
    Arrays.sort(order, 0, sorted);
    for (int i = 1; i < sorted; i++) {
      for (int j = i; j > 0 && isTie(order[j - 1], order[j]); j--) {
        if (compareKeys(order[j - 1], order[j]) <= 0) {
          break;
        }
        long swapped = order[j];
        order[j] = order[j - 1];
        order[j - 1] = swapped;
      }
    }
  }

  private static boolean isTie(long a, long b) {
    return a >> NUMBER_BITS == b >> NUMBER_BITS;
  }

  private static int number(long entry) {
    return (int) entry & (MOST_RECORDS - 1);
  }

  private int sender(int number) {
    int from = 0;
    while (number >= first[from + 1]) {
      from++;
    }
    return from;
  }

  private int compareKeys(long a, long b) {
    int fromA = sender(number(a));
    int fromB = sender(number(b));
    return compare(
        exchange.incoming(fromA),
        (long) (number(a) - first[fromA]) * RECORD_BYTES,
        exchange.incoming(fromB),
        (long) (number(b) - first[fromB]) * RECORD_BYTES);
  }

  private static int compare(MemorySegment a, long atA, MemorySegment b, long atB) {
    int high = Long.compareUnsigned(a.get(LONG, atA), b.get(LONG, atB));
    return high != 0
        ? high
        : Integer.compare(
            Short.toUnsignedInt(a.get(SHORT, atA + Long.BYTES)),
            Short.toUnsignedInt(b.get(SHORT, atB + Long.BYTES)));
  }

  /** The sum of the checksums of all records, whatever their order. */
  private static long checksum(MemorySegment of, int records) {
    CRC32 crc = new CRC32();
    byte[] record = new byte[RECORD_BYTES];
    long sum = 0;
    for (int i = 0; i < records; i++) {
      MemorySegment.copy(
          of, ValueLayout.JAVA_BYTE, (long) i * RECORD_BYTES, record, 0, RECORD_BYTES);
      crc.reset();
      crc.update(record);
      sum += crc.getValue();
    }
    return sum;
  }

  /**
   * A part of valsort's summary.
   *
   * @return records in, their checksum, records out, their checksum, the first key, the last one;
   *     or {@code disorder} where two records are not in order
   */
  @Override
  public String check() {
    for (int i = 1; i < sorted; i++) {
      if (compare(output, (i - 1L) * RECORD_BYTES, output, (long) i * RECORD_BYTES) > 0) {
        return "disorder at record " + i;
      }
    }
    return "%d %x %d %x %s %s"
        .formatted(
            records, inputChecksum, sorted, checksum(output, sorted), key(0), key(sorted - 1));
  }

  private String key(int record) {
    if (sorted == 0) {
      return "-";
    }
    byte[] key = new byte[KEY_BYTES];
    MemorySegment.copy(
        output, ValueLayout.JAVA_BYTE, (long) record * RECORD_BYTES, key, 0, KEY_BYTES);
    return HexFormat.of().formatHex(key);
  }
}
