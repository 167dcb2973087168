package org.slipstream.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Session;
import org.slipstream.transport.slab.SlabLayout;

/**
 * What travels on the Unix-domain socket of a session: the only truth about its bytes. Big-endian.
 *
 * <pre>
 *   | length(4) of what follows the kind | kind(1) | body |
 *
 *   0 HELLO   magic(4) version(2) process id(16) network(8)   first in each direction
 *   1 SLAB    index(4) slots(4) ring bytes(4)      "slab-INDEX in my directory holds windows of mine"
 *   2 MAPPED  index(4) ok(1)                       "I have mapped it" (or never will): unlink it
 *   3 FRAME   a frame of the core
 *   4 ASK     question(UTF-8)                      instead of HELLO, by a tool; answered and closed
 *   5 ANSWER  answer(UTF-8)
 * </pre>
 */
final class Wire {
  static final int MAGIC = 0x534C4950; // "SLIP"
  static final short VERSION = 4;

  static final byte HELLO = 0;
  static final byte SLAB = 1;
  static final byte MAPPED = 2;
  static final byte FRAME = 3;
  static final byte ASK = 4;
  static final byte ANSWER = 5;

  static final int HEADER_BYTES = 5;

  /** The body of HELLO. */
  static final int HELLO_BYTES = 6 + ProcessId.BYTES + Long.BYTES;

  /** The longest body that a session accepts. */
  static final int MAX_BODY = Session.MAX_FRAME_BYTES;

  private Wire() {}

  static ByteBuffer message(byte kind, ByteBuffer body) {
    return ByteBuffer.allocate(HEADER_BYTES + body.remaining())
        .putInt(body.remaining())
        .put(kind)
        .put(body)
        .flip();
  }

  /**
   * The identity of a process.
   *
   * @param id of the process
   * @param network inode of its network namespace
   */
  record Hello(ProcessId id, long network) {}

  static ByteBuffer hello(Hello hello) {
    ByteBuffer body = ByteBuffer.allocate(HELLO_BYTES).putInt(MAGIC).putShort(VERSION);
    hello.id.put(body);
    return message(HELLO, body.putLong(hello.network).flip());
  }

  static Hello readHello(ByteBuffer body) throws IOException {
    if (body.remaining() < 6 || body.getInt() != MAGIC) {
      throw new IOException("The peer does not speak Slipstream");
    }
    short version = body.getShort();
    if (version != VERSION) {
      throw new IOException(
          "The peer speaks version " + version + " of the session protocol, we speak " + VERSION);
    }
    if (body.remaining() != HELLO_BYTES - 6) {
      throw new IOException("The peer's HELLO has the wrong length");
    }
    return new Hello(ProcessId.get(body), body.getLong());
  }

  static ByteBuffer slab(int index, SlabLayout layout) {
    return message(
        SLAB,
        ByteBuffer.allocate(12)
            .putInt(index)
            .putInt(layout.slots())
            .putInt(layout.ringBytes())
            .flip());
  }

  static ByteBuffer mapped(int index, boolean ok) {
    return message(MAPPED, ByteBuffer.allocate(5).putInt(index).put((byte) (ok ? 1 : 0)).flip());
  }
}
