package org.slipstream.rdma;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.slipstream.transport.ProcessId;

/**
 * What two processes say to each other before there is a queue pair, in rdma_cm's private data: the
 * only truth about its bytes. Big-endian. A peer's device may append zeros.
 *
 * <pre>
 *    0       4         6        8                      24         26
 *   +-------+---------+--------+----------------------+----------+
 *   | magic | version | answer |      process id      | path MTU |
 *   +-------+---------+--------+----------------------+----------+
 * </pre>
 *
 * @param answer what the accepting process says; {@link #HELLO} or {@link #LOST} from the
 *     connecting one
 * @param process who says it
 * @param maxPathMtu what the connecting process limits the path MTU of both ends to, in bytes, as
 *     the two have to be equal; 0 leaves it to the system
 */
record Greeting(short answer, ProcessId process, int maxPathMtu) {
  static final int MAGIC = 0x534C4950; // "SLIP"
  static final short VERSION = 3;
  static final int BYTES = 26;

  /** "I am this process." */
  static final short HELLO = 0;

  /** In a rejection: "you have a session with me already". */
  static final short KNOWN = 1;

  /** From the connecting process, after {@link #KNOWN}: "I have lost it; end yours". */
  static final short LOST = 2;

  byte[] bytes() {
    ByteBuffer out = ByteBuffer.allocate(BYTES).putInt(MAGIC).putShort(VERSION).putShort(answer);
    process.put(out);
    out.putShort((short) maxPathMtu);
    return out.array();
  }

  /** Reads hostile bytes. */
  static Greeting read(byte[] data) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(data);
    if (data.length < BYTES || in.getInt() != MAGIC) {
      throw new IOException("The peer does not speak Slipstream");
    }
    short version = in.getShort();
    if (version != VERSION) {
      throw new IOException(
          "The peer speaks version " + version + " of the session protocol, we speak " + VERSION);
    }
    short answer = in.getShort();
    ProcessId process = ProcessId.get(in);
    int maxPathMtu = Short.toUnsignedInt(in.getShort());
    if (maxPathMtu != 0 && !RdmaSettings.isPathMtu(maxPathMtu)) {
      throw new IOException("The peer wants a path MTU of " + maxPathMtu);
    }
    return new Greeting(answer, process, maxPathMtu);
  }
}
