package org.slipstream.rdma.cm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * {@code struct sockaddr_in} and {@code struct sockaddr_in6}.
 *
 * <pre>
 *    0      2      4          8                                24         28
 *   +------+------+----------+
 *   |family| port | address  |                                              sockaddr_in (16)
 *   +------+------+----------+--------------------------------+----------+
 *   |family| port |flow info |            address             | scope id |  sockaddr_in6 (28)
 *   +------+------+----------+--------------------------------+----------+
 * </pre>
 */
final class SocketAddress {
  static final int BYTES = 28;
  static final int FAMILY = 0;
  static final int PORT = 2;
  static final int ADDRESS4 = 4;
  static final int ADDRESS6 = 8;
  static final int SCOPE6 = 24;
  static final short FAMILY_4 = 2;
  static final short FAMILY_6 = 10;

  private static final ValueLayout.OfShort NETWORK_SHORT =
      JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

  private SocketAddress() {}

  /** The address without its port and scope; null if it is of another family. */
  static @Nullable InetAddress read(MemorySegment s) {
    short family = s.get(JAVA_SHORT, FAMILY);
    int offset = family == FAMILY_6 ? ADDRESS6 : ADDRESS4;
    if (family != FAMILY_4 && family != FAMILY_6) {
      return null;
    }
    byte[] raw = s.asSlice(offset, family == FAMILY_6 ? 16 : 4).toArray(JAVA_BYTE);
    try {
      return InetAddress.getByAddress(raw);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("4 or 16 bytes are an address", e);
    }
  }

  static MemorySegment of(Arena arena, InetSocketAddress address) {
    MemorySegment s = arena.allocate(BYTES, 8);
    InetAddress host = address.getAddress();
    byte[] raw = host.getAddress();
    s.set(NETWORK_SHORT, PORT, (short) address.getPort());
    if (raw.length == 4) {
      s.set(JAVA_SHORT, FAMILY, FAMILY_4);
      MemorySegment.copy(raw, 0, s, JAVA_BYTE, ADDRESS4, raw.length);
    } else {
      s.set(JAVA_SHORT, FAMILY, FAMILY_6);
      MemorySegment.copy(raw, 0, s, JAVA_BYTE, ADDRESS6, raw.length);
      s.set(JAVA_INT, SCOPE6, ((Inet6Address) host).getScopeId());
    }
    return s;
  }
}
