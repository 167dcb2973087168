package org.slipstream.ntb;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ProcessId;

/**
 * What a process says of a listener in a small segment with a well-known id: the only truth about
 * its bytes. Big-endian.
 *
 * <pre>
 *   0        4          8             24       28            44          60
 *   +--------+----------+-------------+--------+-------------+-----------+
 *   | magic  | version  |   process   | inbox  |   address   |   mark    |
 *   +--------+----------+-------------+--------+-------------+-----------+
 * </pre>
 *
 * <p>The address is canonical: IPv4 mapped, zeros for "all addresses". The mark says under which
 * cluster key the process listens, so that one with another key knows why the two do not meet; it
 * proves nothing, as any process of the fabric can copy it. Zeros on a trusted fabric; ones where
 * the process has no key that it can use, and takes no session.
 *
 * @param process that listens
 * @param inbox where it takes messages
 * @param address where it listens, 16 bytes
 * @param mark of the key, 16 bytes
 */
record Advertisement(ProcessId process, int inbox, ByteBuffer address, ByteBuffer mark) {
  /** Bytes of the segment: a page. */
  static final int SEGMENT_BYTES = 4096;

  /** Bytes that count. */
  static final int BYTES = 60;

  private static final int MAGIC = 0x534C4E54; // "SLNT"
  private static final int VERSION = 2;
  private static final int ADDRESS_BYTES = 16;

  private static final ByteBuffer NO_KEY = ones();

  /** What the key of marks is derived from, beside the cluster key. */
  private static final byte[] PURPOSE = "advertisement".getBytes(US_ASCII);

  /**
   * Of a listener.
   *
   * @param key of the cluster; null on a trusted fabric
   */
  static Advertisement of(
      ProcessId process, int inbox, InetAddress address, byte @Nullable [] key) {
    ByteBuffer where = canonical(address);
    return new Advertisement(process, inbox, where, mark(process, inbox, where, key));
  }

  /** Of a listener of a process that has no cluster key, and says so to those that have one. */
  static Advertisement withoutKey(ProcessId process, int inbox, InetAddress address) {
    return new Advertisement(process, inbox, canonical(address), NO_KEY);
  }

  /** Of what is before it. */
  private static ByteBuffer mark(
      ProcessId process, int inbox, ByteBuffer address, byte @Nullable [] key) {
    MessageMac mac = MessageMac.of(MessageMac.of(key).derive(ByteBuffer.wrap(PURPOSE)));
    return ByteBuffer.wrap(mac.proof(0, before(process, inbox, address).flip()));
  }

  private static ByteBuffer before(ProcessId process, int inbox, ByteBuffer address) {
    ByteBuffer b = ByteBuffer.allocate(BYTES).putInt(MAGIC).putInt(VERSION);
    process.put(b);
    return b.putInt(inbox).put(address.duplicate());
  }

  /** Whether the process has this cluster key too; null is that of a trusted fabric. */
  boolean hasKey(byte @Nullable [] key) {
    return mark.equals(mark(process, inbox, address, key));
  }

  /** Whether the process says that it has none; it proves that as little as the others. */
  boolean isWithoutKey() {
    return mark.equals(NO_KEY);
  }

  private static ByteBuffer ones() {
    byte[] ones = new byte[MessageMac.BYTES];
    Arrays.fill(ones, (byte) 0xFF);
    return ByteBuffer.wrap(ones).asReadOnlyBuffer();
  }

  byte[] bytes() {
    return before(process, inbox, address).put(mark.duplicate()).array();
  }

  /** Null if it is none, or of another version. */
  static @Nullable Advertisement read(byte[] bytes) {
    ByteBuffer b = ByteBuffer.wrap(bytes);
    if (b.remaining() < BYTES || b.getInt() != MAGIC || b.getInt() != VERSION) {
      return null;
    }
    ProcessId process = ProcessId.get(b);
    int inbox = b.getInt();
    byte[] address = new byte[ADDRESS_BYTES];
    b.get(address);
    byte[] mark = new byte[MessageMac.BYTES];
    b.get(mark);
    return new Advertisement(process, inbox, ByteBuffer.wrap(address), ByteBuffer.wrap(mark));
  }

  /** Whether a connection to the address may have been accepted there. */
  boolean listensAt(InetAddress remote) {
    return address.equals(ByteBuffer.allocate(ADDRESS_BYTES)) || address.equals(canonical(remote));
  }

  private static ByteBuffer canonical(InetAddress address) {
    byte[] raw = address.getAddress();
    byte[] all = new byte[ADDRESS_BYTES];
    if (!address.isAnyLocalAddress()) {
      if (raw.length == 4) {
        all[10] = (byte) 0xFF;
        all[11] = (byte) 0xFF;
      }
      System.arraycopy(raw, 0, all, all.length - raw.length, raw.length);
    }
    return ByteBuffer.wrap(all);
  }
}
