package org.slipstream.rdma;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Where the accepting process listens on its other ports, behind the handshake of its acceptance:
 * rdma_cm has room for 196 bytes there. Big-endian. A peer that tells none sends no more than the
 * handshake, and a device may append zeros.
 *
 * <pre>
 *    56      57     60            76       78
 *   +-------+------+-------------+--------+-- - - - - --
 *   | count | zero |   address   |  port  |  the next ...
 *   +-------+------+-------------+--------+-- - - - - --
 * </pre>
 */
final class ToldPorts {
  static final int COUNT = HandshakeMessage.BYTES;
  static final int FIRST = COUNT + 4;

  /** An address, IPv4 mapped into IPv6, and a port. */
  static final int ENTRY_BYTES = 16 + Short.BYTES;

  private ToldPorts() {}

  /** An acceptance with what it tells, {@link RailWays#MOST} at most. */
  static byte[] append(byte[] acceptance, List<InetSocketAddress> listeners) {
    if (listeners.isEmpty()) {
      return acceptance;
    }
    int count = Math.min(listeners.size(), RailWays.MOST);
    ByteBuffer out =
        ByteBuffer.wrap(Arrays.copyOf(acceptance, FIRST + count * ENTRY_BYTES)).position(COUNT);
    out.put((byte) count).position(FIRST);
    for (InetSocketAddress each : listeners.subList(0, count)) {
      out.put(RdmaDevices.mapped(each.getAddress())).putShort((short) each.getPort());
    }
    return out.array();
  }

  /** Reads hostile bytes: what makes no sense is not told. */
  static List<InetSocketAddress> read(byte[] data) {
    List<InetSocketAddress> told = new ArrayList<>();
    int count = data.length < FIRST ? 0 : Math.min(data[COUNT], RailWays.MOST);
    for (int i = 0; i < count && FIRST + (i + 1) * ENTRY_BYTES <= data.length; i++) {
      ByteBuffer in = ByteBuffer.wrap(data, FIRST + i * ENTRY_BYTES, ENTRY_BYTES);
      byte[] address = new byte[16];
      in.get(address);
      InetSocketAddress listener = listener(address, Short.toUnsignedInt(in.getShort()));
      if (isHost(listener.getAddress()) && listener.getPort() != 0) {
        told.add(listener);
      }
    }
    return told;
  }

  private static InetSocketAddress listener(byte[] address, int port) {
    try {
      return new InetSocketAddress(InetAddress.getByAddress(address), port);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // of 16 bytes
    }
  }

  private static boolean isHost(InetAddress address) {
    return !address.isAnyLocalAddress()
        && !address.isLoopbackAddress()
        && !address.isLinkLocalAddress()
        && !address.isMulticastAddress();
  }
}
