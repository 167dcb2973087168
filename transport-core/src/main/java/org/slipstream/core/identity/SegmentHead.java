package org.slipstream.core.identity;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What the head of a TCP segment says, as the kernel shows it. Wrong input gives nothing, or a head
 * that names no connection.
 *
 * @param sequence the number of its first byte; of a SYN, the number with which the connection
 *     begins
 * @param bytes how many bytes of data it has
 * @param clock the sender's clock in milliseconds, with an offset that the kernel chose for the
 *     connection (option TSval)
 */
public record SegmentHead(int sequence, int bytes, int clock) {
  private static final int IPV4_HEAD = 20;
  private static final int IPV6_HEAD = 40;
  private static final int TCP_HEAD = 20;
  private static final int TCP = 6;

  private static final int OPTION_END = 0;
  private static final int OPTION_NOTHING = 1;
  private static final int OPTION_TIMESTAMPS = 8;
  private static final int TIMESTAMPS_BYTES = 10;

  /** Link headers are shorter. */
  private static final int LONGEST_LINK_HEAD = 40;

  private static final int WORD = 0xFFFF;

  /**
   * Reads a packet that begins with its IP header.
   *
   * @param packet from its position on; may be cut off behind the TCP header
   * @return null if it is no TCP segment with a timestamp
   */
  public static @Nullable SegmentHead ofPacket(ByteBuffer packet) {
    return at(packet, packet.position());
  }

  /**
   * Reads a packet that begins with the header of its link, of whatever kind.
   *
   * @param frame from its position on
   * @return null if no TCP segment with a timestamp is found in it
   */
  public static @Nullable SegmentHead ofFrame(ByteBuffer frame) {
    for (int skip = 0; skip <= LONGEST_LINK_HEAD; skip += 2) {
      SegmentHead head = at(frame, frame.position() + skip);
      if (head != null) {
        return head;
      }
    }
    return null;
  }

  private static @Nullable SegmentHead at(ByteBuffer packet, int start) {
    if (packet.limit() - start < IPV4_HEAD + TCP_HEAD) {
      return null;
    }
    return switch (packet.get(start) >> 4 & 0xF) {
      case 4 -> ipv4(packet, start);
      case 6 -> ipv6(packet, start);
      default -> null;
    };
  }

  private static @Nullable SegmentHead ipv4(ByteBuffer packet, int start) {
    int head = (packet.get(start) & 0xF) * Integer.BYTES;
    if (head < IPV4_HEAD
        || packet.get(start + 9) != TCP
        || packet.limit() - start < head
        || sum(packet, start, head) != WORD) {
      return null;
    }
    int length = Short.toUnsignedInt(packet.getShort(start + 2));
    return tcp(packet, start + head, length - head);
  }

  private static @Nullable SegmentHead ipv6(ByteBuffer packet, int start) {
    if (packet.limit() - start < IPV6_HEAD || packet.get(start + 6) != TCP) {
      return null; // extension headers, too: such a connection has no name
    }
    int length = Short.toUnsignedInt(packet.getShort(start + 4));
    return tcp(packet, start + IPV6_HEAD, length);
  }

  /** The Internet checksum, over the header with the sum that it carries. */
  private static int sum(ByteBuffer packet, int start, int bytes) {
    int sum = 0;
    for (int i = 0; i < bytes; i += Short.BYTES) {
      sum += Short.toUnsignedInt(packet.getShort(start + i));
    }
    while (sum > WORD) {
      sum = (sum & WORD) + (sum >>> 16);
    }
    return sum;
  }

  private static @Nullable SegmentHead tcp(ByteBuffer packet, int start, int length) {
    if (packet.limit() - start < TCP_HEAD) {
      return null;
    }
    int head = (packet.get(start + 12) >> 4 & 0xF) * Integer.BYTES;
    if (head < TCP_HEAD || head > length || packet.limit() - start < head) {
      return null;
    }
    int at = start + TCP_HEAD;
    while (at < start + head) {
      int kind = packet.get(at);
      if (kind == OPTION_END) {
        return null;
      }
      if (kind == OPTION_NOTHING) {
        at++;
        continue;
      }
      int size = at + 1 < start + head ? Byte.toUnsignedInt(packet.get(at + 1)) : 0;
      if (size < 2 || at + size > start + head) {
        return null;
      }
      if (kind == OPTION_TIMESTAMPS && size == TIMESTAMPS_BYTES) {
        return new SegmentHead(packet.getInt(start + 4), length - head, packet.getInt(at + 2));
      }
      at += size;
    }
    return null;
  }
}
