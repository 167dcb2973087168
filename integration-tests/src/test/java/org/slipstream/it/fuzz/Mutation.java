package org.slipstream.it.fuzz;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * One change of an input.
 *
 * @param kind what happens
 * @param at where, modulo the length
 * @param value with which number
 */
record Mutation(Kind kind, int at, long value) {
  private static final int LONGEST = 64 * 1024;

  enum Kind {
    BIT,
    BYTE,
    SHORT,
    INT,
    LONG,
    TRUNCATE,
    REMOVE,
    REPEAT,
    INSERT,
    SPLICE
  }

  byte[] apply(byte[] bytes, byte[] other) {
    int length = bytes.length;
    if (length == 0) {
      return other;
    }
    int i = at % length;
    return switch (kind) {
      case BIT -> put(bytes, i, 1, bytes[i] ^ (1L << (value & 7)));
      case BYTE -> put(bytes, i, 1, value);
      case SHORT -> put(bytes, i, Short.BYTES, value);
      case INT -> put(bytes, i, Integer.BYTES, value);
      case LONG -> put(bytes, i, Long.BYTES, value);
      case TRUNCATE -> Arrays.copyOf(bytes, i);
      case REMOVE -> join(bytes, i, bytes, Math.min(length, i + 1 + (int) (value & 15)));
      case REPEAT -> length > LONGEST ? bytes : join(bytes, length, bytes, i);
      case INSERT -> join(Arrays.copyOf(bytes, i + 1), i + 1, bytes, i);
      case SPLICE -> join(bytes, i, other, other.length == 0 ? 0 : at % other.length);
    };
  }

  private static byte[] put(byte[] bytes, int at, int width, long value) {
    byte[] changed = bytes.clone();
    byte[] number = ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    int n = Math.min(width, bytes.length - at);
    System.arraycopy(number, Long.BYTES - width, changed, at, n);
    return changed;
  }

  private static byte[] join(byte[] head, int until, byte[] tail, int from) {
    byte[] joined = Arrays.copyOf(head, until + tail.length - from);
    System.arraycopy(tail, from, joined, until, tail.length - from);
    return joined;
  }
}
