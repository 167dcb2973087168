package org.slipstream.core.session;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * The two addresses of a TCP connection in canonical form: 16-byte addresses with IPv4 mapped, so
 * that a dual-stack end and an IPv4 end say the same; numeric scope of link-local addresses.
 *
 * <pre>
 *   0               16   18      22              38   40      44
 *   | client address|port| scope | server address|port| scope |
 * </pre>
 */
final class Tuple {
  static final int BYTES = 44;

  private static final int CLIENT_PORT_OFFSET = 16;
  private static final int SPREAD = 0x9E3779B1;

  private final byte[] bytes;
  private final int hash;

  private Tuple(byte[] bytes) {
    this.bytes = bytes;
    // Connections of one client differ in this port alone, and a sum of bytes tells few ports
    // apart.
    this.hash =
        Arrays.hashCode(bytes) + SPREAD * ByteBuffer.wrap(bytes).getShort(CLIENT_PORT_OFFSET);
  }

  static Tuple of(InetSocketAddress client, InetSocketAddress server) {
    ByteBuffer b = ByteBuffer.allocate(BYTES);
    put(b, client);
    put(b, server);
    return new Tuple(b.array());
  }

  static Tuple get(ByteBuffer in) throws IOException {
    if (in.remaining() < BYTES) {
      throw new IOException("Truncated tuple");
    }
    byte[] bytes = new byte[BYTES];
    in.get(bytes);
    return new Tuple(bytes);
  }

  private static void put(ByteBuffer b, InetSocketAddress address) {
    InetAddress ip = Objects.requireNonNull(address.getAddress(), "unresolved address");
    byte[] raw = ip.getAddress();
    if (raw.length == 4) {
      b.putLong(0).putShort((short) 0).putShort((short) 0xFFFF);
    }
    b.put(raw).putShort((short) address.getPort());
    b.putInt(ip instanceof Inet6Address v6 && v6.isLinkLocalAddress() ? v6.getScopeId() : 0);
  }

  void put(ByteBuffer out) {
    out.put(bytes);
  }

  /** The address of the end that connected; two of them are equal whatever their scope. */
  InetAddress client() {
    try {
      return InetAddress.getByAddress(Arrays.copyOf(bytes, CLIENT_PORT_OFFSET));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("16 bytes are an address", e);
    }
  }

  /** Whether both ends are one socket. */
  boolean isSelfConnect() {
    return Arrays.equals(bytes, 0, BYTES / 2, bytes, BYTES / 2, BYTES);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Tuple t && Arrays.equals(bytes, t.bytes);
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
