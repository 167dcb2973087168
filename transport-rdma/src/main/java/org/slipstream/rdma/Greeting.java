package org.slipstream.rdma;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.slipstream.transport.ProcessId;

/**
 * What two processes say to each other before there is a queue pair, in rdma_cm's private data: the
 * only truth about its bytes. Big-endian. A peer's device may append zeros.
 *
 * <pre>
 *    0       4         6        8                      24
 *   +-------+---------+--------+----------------------+
 *   | magic | version | answer |      process id      |
 *   +-------+---------+--------+----------------------+
 * </pre>
 *
 * @param answer what the accepting process says; {@link #HELLO} from the connecting one
 * @param process who says it
 */
record Greeting(short answer, ProcessId process) {
  static final int MAGIC = 0x534C4950; // "SLIP"
  static final short VERSION = 1;
  static final int BYTES = 24;

  /** "I am this process." */
  static final short HELLO = 0;

  /** In a rejection: "you have a session with me already". */
  static final short KNOWN = 1;

  byte[] bytes() {
    ByteBuffer out = ByteBuffer.allocate(BYTES).putInt(MAGIC).putShort(VERSION).putShort(answer);
    process.put(out);
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
    return new Greeting(in.getShort(), ProcessId.get(in));
  }
}
