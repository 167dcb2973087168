package org.slipstream.ntb;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ProcessId;

/**
 * What a process says of a listener in a small segment with a well-known id: the only truth about
 * its bytes. Big-endian.
 *
 * <pre>
 *   magic(4) version(4) process(16) inbox(4) address(16)      44 bytes
 * </pre>
 *
 * <p>The address is canonical: IPv4 mapped, zeros for "all addresses".
 *
 * @param process that listens
 * @param inbox where it takes messages
 * @param address where it listens, 16 bytes
 */
record Advertisement(ProcessId process, int inbox, ByteBuffer address) {
  /** Bytes of the segment: a page. */
  static final int SEGMENT_BYTES = 4096;

  /** Bytes that count. */
  static final int BYTES = 44;

  private static final int MAGIC = 0x534C4E54; // "SLNT"
  private static final int VERSION = 1;
  private static final int ADDRESS_BYTES = 16;

  static Advertisement of(ProcessId process, int inbox, InetAddress address) {
    return new Advertisement(process, inbox, canonical(address));
  }

  byte[] bytes() {
    ByteBuffer b = ByteBuffer.allocate(BYTES).putInt(MAGIC).putInt(VERSION);
    process.put(b);
    return b.putInt(inbox).put(address.duplicate()).array();
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
    return new Advertisement(process, inbox, ByteBuffer.wrap(address));
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
