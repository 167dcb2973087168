package org.slipstream.servers.spark;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import scala.Tuple2;

/** Records of the sort benchmark: a key of 10 random bytes, and 90 more. */
final class Records {
  private static final int KEY = 10;
  private static final int VALUE = 90;

  private Records() {}

  /** The order of keys. */
  static final class ByKey implements Comparator<byte[]>, Serializable {
    private static final long serialVersionUID = 1;

    @Override
    public int compare(byte[] one, byte[] other) {
      return Arrays.compareUnsigned(one, other);
    }
  }

  /** A part of all records; the same each time. */
  static Iterator<Tuple2<byte[], byte[]>> part(int part, int count) {
    SplittableRandom random = new SplittableRandom(part);
    return IntStream.range(0, count)
        .mapToObj(i -> {
          byte[] key = new byte[KEY];
          byte[] value = new byte[VALUE];
          random.nextBytes(key);
          random.nextBytes(value);
          return new Tuple2<>(key, value);
        })
        .iterator();
  }

  static long sum(Tuple2<byte[], byte[]> one) {
    CRC32 sum = new CRC32();
    sum.update(one._1());
    sum.update(one._2());
    return sum.getValue();
  }

  /**
   * What a sorted part is.
   *
   * @param count of its records
   * @param sum of their checksums
   * @param first key, a character for each byte; empty if there is none
   * @param last key
   * @param sorted whether no key comes before the one in front of it
   */
  record Part(long count, long sum, String first, String last, boolean sorted)
      implements Serializable {
    static Part of(Iterator<Tuple2<byte[], byte[]>> records) {
      long count = 0;
      long sum = 0;
      String first = "";
      String last = "";
      boolean sorted = true;
      while (records.hasNext()) {
        Tuple2<byte[], byte[]> record = records.next();
        String key = new String(record._1(), StandardCharsets.ISO_8859_1);
        first = count == 0 ? key : first;
        sorted &= last.compareTo(key) <= 0;
        last = key;
        sum += Records.sum(record);
        count++;
      }
      return new Part(count, sum, first, last, sorted);
    }
  }
}
