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

  private static final int IP_BYTES = 16;
  private static final int PORT_OFFSET = 16;
  private static final int SCOPE_OFFSET = 18;
  private static final int SERVER_OFFSET = 22;
  private static final int SPREAD = 0x9E3779B1;

  private final byte[] bytes;
  private final int hash;

  private Tuple(byte[] bytes) {
    this.bytes = bytes;
    // Connections of one client differ in its port alone. No loop: see put.
    int port = bytes[PORT_OFFSET] << 8 | (bytes[PORT_OFFSET + 1] & 0xFF);
    int server = SERVER_OFFSET + PORT_OFFSET;
    this.hash =
        SPREAD * port
            + (bytes[IP_BYTES - 4] << 24 | (bytes[IP_BYTES - 3] & 0xFF) << 16)
            + ((bytes[IP_BYTES - 2] & 0xFF) << 8 | (bytes[IP_BYTES - 1] & 0xFF))
            + 31 * (bytes[server] << 8 | (bytes[server + 1] & 0xFF));
  }

  static Tuple of(InetSocketAddress client, InetSocketAddress server) {
    byte[] bytes = new byte[BYTES];
    put(bytes, 0, client);
    put(bytes, SERVER_OFFSET, server);
    return new Tuple(bytes);
  }

  static Tuple get(ByteBuffer in) throws IOException {
    if (in.remaining() < BYTES) {
      throw new IOException("Truncated tuple");
    }
    byte[] bytes = new byte[BYTES];
    in.get(bytes);
    return new Tuple(bytes);
  }

  /** Without a buffer: a server does this for each connection, at first in the interpreter. */
  private static void put(byte[] bytes, int at, InetSocketAddress address) {
    InetAddress ip = Objects.requireNonNull(address.getAddress(), "unresolved address");
    put(bytes, at, ip);
    int port = address.getPort();
    bytes[at + PORT_OFFSET] = (byte) (port >> 8);
    bytes[at + PORT_OFFSET + 1] = (byte) port;
    if (ip instanceof Inet6Address v6 && v6.isLinkLocalAddress()) {
      ByteBuffer.wrap(bytes).putInt(at + SCOPE_OFFSET, v6.getScopeId());
    }
  }

  private static void put(byte[] bytes, int at, InetAddress ip) {
    byte[] raw = ip.getAddress();
    if (raw.length < IP_BYTES) {
      bytes[at + 10] = (byte) 0xFF;
      bytes[at + 11] = (byte) 0xFF;
    }
    System.arraycopy(raw, 0, bytes, at + IP_BYTES - raw.length, raw.length);
  }

  /** An address in 16 bytes; its scope is not in them. */
  static byte[] canonical(InetAddress ip) {
    byte[] bytes = new byte[IP_BYTES];
    put(bytes, 0, ip);
    return bytes;
  }

  /** Whether the end that connected has a {@link #canonical} address. */
  boolean isFrom(byte[] ip) {
    return Arrays.equals(bytes, 0, IP_BYTES, ip, 0, IP_BYTES);
  }

  void put(ByteBuffer out) {
    out.put(bytes);
  }

  /** The address of the end that connected; two of them are equal whatever their scope. */
  InetAddress client() {
    try {
      return InetAddress.getByAddress(Arrays.copyOf(bytes, IP_BYTES));
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
