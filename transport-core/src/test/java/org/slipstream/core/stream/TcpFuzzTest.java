package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.slipstream.fuzz.FuzzTest;
import org.slipstream.fuzz.Fuzzer;
import org.slipstream.fuzz.Trace;

/**
 * A peer that knows the nonce sends any bytes, positions of failover and words of the window, in
 * any order, among what an honest peer does, while the program reads, writes and selects. Only its
 * own stream ends, with an IOException, and each link is given back once; and as long as the peer
 * is honest, every byte arrives.
 *
 * <p>An input: one byte (bit 0: we are the client; then the medium: 0 loses nothing, 1 may lose
 * bytes, 2 proves positions), then records of {@code move(1) answer(1) where(2) value(8)},
 * little-endian.
 */
class TcpFuzzTest {
  private static final int HEAD = 1;
  private static final int RECORD = 12;

  @FuzzTest
  void onlyItsOwnStreamEnds() {
    Fuzzer.hex("tcp")
        .records(HEAD, RECORD)
        .longest(HEAD + 40 * RECORD)
        .allocating(64 << 20)
        .reaching(
            "raw",
            "MARK",
            "ring",
            "BACK",
            "second epoch",
            "FAIL",
            "doorbell",
            "revoked",
            "our epoch",
            "end",
            "another link",
            "MARK of another link",
            "an unrelated process's MARK",
            "writes on the ring")
        .run(TcpFuzzTest::take);
  }

  private static void take(byte[] input, Trace trace) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
    int flags = in.hasRemaining() ? in.get() : 0;
    HostilePeer peer = new HostilePeer((flags & 1) != 0, Math.floorMod(flags >> 1, 3), trace);
    try {
      while (in.remaining() >= RECORD) {
        int move = in.get();
        int answer = in.get();
        int where = Short.toUnsignedInt(in.getShort());
        peer.move(move, where, in.getLong());
        peer.answer(answer, where);
      }
      peer.finish();
    } finally {
      peer.close();
    }
    assertThat(peer.linksGivenBack()).as("links given back").isEqualTo(peer.linksGiven());
  }
}
