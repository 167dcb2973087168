package org.slipstream.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Makes new inputs of old ones. Numbers are put in both byte orders: a wire may have either, and a
 * mutator that knows one gets behind no check of the other.
 *
 * <p>The same seed and the same inputs make the same mutants, on every machine.
 */
final class Mutator {
  private static final int MOST_CHANGES = 8;
  private static final int SMALL = 300;
  private static final int MOST_REMOVED = 16;
  private static final int LONGEST_RANDOM = 300;

  /** Where parsers have their limits. */
  private static final long[] INTERESTING = {
    0,
    1,
    -1,
    2,
    127,
    128,
    255,
    256,
    1023,
    1024,
    1025,
    4096,
    65_535,
    65_536,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    1L << 55,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  private enum Kind {
    BIT,
    BYTE,
    SHORT,
    INT,
    LONG,
    ADD,
    TRUNCATE,
    REMOVE,
    REPEAT,
    EXTEND,
    INSERT,
    SWAP,
    SPLICE
  }

  private final SplittableRandom random;
  private final int head;
  private final int record;
  private final int longest;

  /**
   * Makes one.
   *
   * @param seed decides everything
   * @param head bytes before the first record
   * @param record bytes of each record; pieces move as whole records. 1 if there are none
   * @param longest result
   */
  Mutator(long seed, int head, int record, int longest) {
    this.random = new SplittableRandom(seed);
    this.head = head;
    this.record = record;
    this.longest = longest;
  }

  byte[] next(List<byte[]> pool) {
    if (pool.isEmpty() || random.nextInt(20) == 0) {
      byte[] noise = new byte[random.nextInt(LONGEST_RANDOM + 1)];
      random.nextBytes(noise);
      return noise;
    }
    byte[] bytes = pool.get(random.nextInt(pool.size()));
    byte[] other = pool.get(random.nextInt(pool.size()));
    int changes = 1 + random.nextInt(1 + random.nextInt(MOST_CHANGES));
    for (int i = 0; i < changes; i++) {
      bytes = change(bytes, other);
    }
    return bytes.length > longest ? Arrays.copyOf(bytes, longest) : bytes;
  }

  private byte[] change(byte[] bytes, byte[] other) {
    if (bytes.length == 0) {
      return other.clone();
    }
    Kind[] kinds = Kind.values();
    int i = random.nextInt(bytes.length);
    return switch (kinds[random.nextInt(kinds.length)]) {
      case BIT -> put(bytes, i, 1, bytes[i] ^ (1L << random.nextInt(8)));
      case BYTE -> put(bytes, i, 1, random.nextInt(256));
      case SHORT -> put(bytes, i, Short.BYTES, value());
      case INT -> put(bytes, i, Integer.BYTES, value());
      case LONG -> put(bytes, i, Long.BYTES, value());
      case ADD -> put(bytes, i, 1, bytes[i] + random.nextInt(-3, 4));
      case TRUNCATE -> Arrays.copyOf(bytes, cut(bytes));
      case REMOVE -> remove(bytes);
      case REPEAT -> join(bytes, bytes.length, bytes, cut(bytes));
      case EXTEND -> extend(bytes);
      case INSERT -> insert(bytes, other);
      case SWAP -> swap(bytes);
      case SPLICE -> join(bytes, cut(bytes), other, cut(other));
    };
  }

  private long value() {
    return random.nextBoolean()
        ? INTERESTING[random.nextInt(INTERESTING.length)]
        : random.nextInt(-SMALL, SMALL + 1);
  }

  /** A place where an input may be cut, the end among them. */
  private int cut(byte[] bytes) {
    if (bytes.length <= head) {
      return bytes.length;
    }
    return head + random.nextInt((bytes.length - head) / record + 1) * record;
  }

  /** A number in either order, cut off at the end of the input. */
  private byte[] put(byte[] bytes, int at, int width, long value) {
    byte[] changed = bytes.clone();
    boolean little = random.nextBoolean();
    byte[] number =
        ByteBuffer.allocate(Long.BYTES)
            .order(little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN)
            .putLong(value)
            .array();
    int n = Math.min(width, bytes.length - at);
    System.arraycopy(number, little ? 0 : Long.BYTES - width, changed, at, n);
    return changed;
  }

  private byte[] remove(byte[] bytes) {
    int from = cut(bytes);
    int most = record > 1 ? record * 2 : MOST_REMOVED;
    int n = Math.ceilDiv(1 + random.nextInt(most), record) * record;
    return join(bytes, from, bytes, Math.min(bytes.length, from + n));
  }

  /** Long enough for a length that is made up. */
  private byte[] extend(byte[] bytes) {
    byte[] more = new byte[Math.ceilDiv(1 + random.nextInt(LONGEST_RANDOM), record) * record];
    if (random.nextBoolean()) {
      random.nextBytes(more);
    }
    return join(bytes, bytes.length, more, 0);
  }

  /** Puts a piece of an input into another place. */
  private byte[] insert(byte[] bytes, byte[] other) {
    int at = cut(bytes);
    int from = cut(other);
    int n = Math.min(other.length - from, (1 + random.nextInt(3)) * Math.max(record, 4));
    byte[] inserted = Arrays.copyOf(bytes, bytes.length + n);
    System.arraycopy(other, from, inserted, at, n);
    System.arraycopy(bytes, at, inserted, at + n, bytes.length - at);
    return inserted;
  }

  private byte[] swap(byte[] bytes) {
    byte[] swapped = bytes.clone();
    int a = cut(bytes);
    int b = cut(bytes);
    int n = Math.min(record, bytes.length - Math.max(a, b));
    if (n > 0) {
      System.arraycopy(bytes, a, swapped, b, n);
      System.arraycopy(bytes, b, swapped, a, n);
    }
    return swapped;
  }

  private static byte[] join(byte[] head, int until, byte[] tail, int from) {
    byte[] joined = Arrays.copyOf(head, until + tail.length - from);
    System.arraycopy(tail, from, joined, until, tail.length - from);
    return joined;
  }
}
