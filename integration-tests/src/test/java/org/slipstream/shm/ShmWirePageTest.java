package org.slipstream.shm;

import static org.slipstream.it.WirePage.assertBytes;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.slipstream.it.WirePage;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.slab.SlabLayout;

/** The messages of the session socket are as docs/WIRE-PROTOCOL.md draws them. */
class ShmWirePageTest {
  private static final ProcessId PROCESS = new ProcessId(0x0102030405060708L, 0x1112131415161718L);

  /** Bytes behind length and kind. */
  private static byte[] body(ByteBuffer message) {
    byte[] all = WirePage.bytes(message);
    return Arrays.copyOfRange(all, Wire.HEADER_BYTES, all.length);
  }

  @Test
  void messagesAreAsDrawn() {
    ByteBuffer process = ByteBuffer.allocate(ProcessId.BYTES);
    PROCESS.put(process);
    assertBytes(
        "shm HELLO",
        body(Wire.hello(new Wire.Hello(PROCESS, 0x2122L))),
        Wire.MAGIC,
        Wire.VERSION,
        process.array(),
        0x2122L);
    assertBytes("shm SLAB", body(Wire.slab(5, new SlabLayout(64, 1 << 18))), 5, 64, 1 << 18);
    assertBytes("shm MAPPED", body(Wire.mapped(5, true)), 5, 1);
  }
}
