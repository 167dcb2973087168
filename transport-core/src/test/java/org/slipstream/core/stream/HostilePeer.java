package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.slipstream.core.api.Counter;
import org.slipstream.core.api.Reason;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.core.ring.RingEnd;
import org.slipstream.fuzz.Trace;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.transport.ControlLayout;

/**
 * The peer of a stream, which says what it is told to say, and knows whether that was still honest;
 * and the program at the other end. What both send is a tape: the bytes say where they belong.
 */
final class HostilePeer {
  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final byte[] SECOND_NONCE = "ABCDEFGHIJKLMNOP".getBytes(StandardCharsets.US_ASCII);
  private static final int RING = 4096;
  private static final long PATIENCE_NS = 20_000_000_000L;

  private static final int MOVES = 20;
  private static final int ANSWERS = 13;

  private final Trace trace;
  private final Bench bench;
  private final boolean lossless;

  private HeapLink.Pair pair;
  private RingEnd ring;
  private byte[] nonce;
  private int links = 1;

  /** As long as this holds, all bytes must arrive. */
  private boolean honest = true;

  private boolean inEpoch;
  private boolean ended;

  /** No further epoch may begin. */
  private boolean noMoreEpochs;

  private int epochs;

  /** Of the tape: sent, and read by the program. */
  private long sent;

  private long got;

  /** Bytes that ever went over TCP, and where the epoch began on the tape and in the ring. */
  private long raw;

  private long epochBegan;
  private long ringBegan;

  HostilePeer(boolean client, int medium, Trace trace) throws IOException {
    this.trace = trace;
    this.lossless = medium == 0;
    this.pair = link(medium);
    this.bench = Bench.over(client, pair);
    this.ring = bench.peer;
    this.nonce = bench.nonce;
    bench.attached().nonBlocking();
  }

  private static HeapLink.Pair link(int medium) {
    HeapLink.Pair pair = HeapLink.pair(RING, RING);
    switch (medium) {
      case 1 -> {
        pair.a().lossy();
        pair.b().lossy();
      }
      case 2 -> {
        pair.a().proving();
        pair.b().proving();
      }
      default -> {}
    }
    return pair;
  }

  int linksGiven() {
    return links;
  }

  int linksGivenBack() {
    return bench.unused.get();
  }

  // -- moves -----------------------------------------------------------------------------------

  void move(int move, int where, long value) {
    try {
      switch (Math.floorMod(move, MOVES)) {
        case 1 -> controlBytes(where, value);
        case 2 -> raw(1 + where % 2000);
        case 3 -> beginEpoch(value);
        case 4 -> {
          honest = false;
          ring.producer().epochs().begin(raw + value);
        }
        case 5 -> {
          honest = false;
          bench.wire(Arrays.copyOf(nonce, where % (nonce.length + 1)));
        }
        case 6 -> {
          honest &= inEpoch;
          bench.wire(ControlBytes.DOORBELL);
        }
        case 7 -> back(value);
        case 8 -> fail(value);
        case 9 -> {
          honest = false;
          int words = ControlLayout.BYTES / Long.BYTES;
          pair.a().window().control().set(WORD, where % words * (long) Long.BYTES, value);
        }
        case 10 -> throughRing(1 + where % (2 * RING));
        case 11 -> bench.fromWireNow();
        case 12 -> ring.consumer().read(ByteBuffer.allocate(2 * RING));
        case 13 -> end();
        case 14 -> revoke(where);
        case 15 -> anotherLink();
        case 16 -> {
          honest = false;
          ring.producer().publishFlags(where % 8);
        }
        case 17, 18, 19 -> failWhereItMay(value);
        default -> {}
      }
    } catch (IOException e) {
      // The stream has ended: there is no peer to talk to. Or it lied to us, having been lied to.
      assertThat(honest && !bench.stream.isOpen()).as(e.toString()).isFalse();
    }
  }

  private void controlBytes(int where, long value) throws IOException {
    honest = false;
    byte[] all =
        ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
    bench.wire(Arrays.copyOf(all, 1 + where % Long.BYTES));
  }

  private void raw(int length) throws IOException {
    honest &= !inEpoch && !ended;
    bench.wire(tape(sent, length));
    sent += length;
    raw += length;
  }

  private void beginEpoch(long value) throws IOException {
    RingEnd mine = ring;
    honest &=
        value == 0
            && !inEpoch
            && !ended
            && !noMoreEpochs
            && (epochs == 0
                || (mine.producer().epochs().isOver() && mine.producer().credit().isDrained()));
    inEpoch = true;
    epochs++;
    epochBegan = sent;
    ringBegan = mine.producer().credit().position();
    mine.producer().epochs().begin(raw + value);
    bench.wire(nonce);
  }

  private void back(long value) throws IOException {
    honest &= inEpoch && !ended && value == 0;
    inEpoch = false;
    bench.wire(bench.back(ring.producer().credit().position() + value));
  }

  /**
   * Falls back to TCP from a position that the reader has passed, and sends what is behind it
   * again.
   */
  private void fail(long value) throws IOException {
    long reader = Math.min(consumed(), ring.producer().credit().position());
    long from = reader - value;
    honest &= inEpoch && !ended && !lossless && value >= 0 && from >= ringBegan;
    inEpoch = false;
    noMoreEpochs = true;
    byte[] again = {};
    if (honest) {
      int missing = (int) (ring.producer().credit().position() - from);
      again = tape(epochBegan + from - ringBegan, missing);
      raw += missing;
      trace.reached("FAIL");
    }
    ByteBuffer frame = ControlBytes.fail(from, ByteBuffer.wrap(again));
    bench.wire(Arrays.copyOf(frame.array(), frame.limit()));
  }

  /**
   * As an honest peer, from a position that the value chooses. Mutation alone would seldom find
   * one, so there are more of these moves than of others.
   */
  private void failWhereItMay(long value) throws IOException {
    long reader = Math.min(consumed(), ring.producer().credit().position());
    if (inEpoch && !ended && !lossless && reader >= ringBegan) {
      fail(Math.floorMod(value, reader - ringBegan + 1));
    }
  }

  private long consumed() {
    StreamLink link = bench.stream.link();
    return link == null ? 0 : link.consumer().consumed();
  }

  private void throughRing(int length) throws IOException {
    honest &= inEpoch && !ended;
    int signalled = bench.signalled.get();
    sent += ring.producer().write(ByteBuffer.wrap(tape(sent, length)), bench::ringDoorbell);
    if (bench.signalled.get() > signalled) {
      trace.reached("doorbell");
    }
  }

  private void end() throws IOException {
    if (inEpoch) {
      ring.producer().publishFin();
    }
    ended = true;
    bench.wire.shutdownOutput();
  }

  /** What comes on the session and concerns the stream. */
  private void revoke(int where) {
    StreamLink link = bench.stream.link();
    switch (where % 4) {
      case 0 -> link.markRevoked();
      case 1 -> {
        noMoreEpochs = true;
        link.markLost();
      }
      case 2 -> {
        honest = false;
        link.markPeerClosed();
      }
      default -> {
        noMoreEpochs = true;
        link.markDead(); // our own end noticed first
      }
    }
    bench.stream.linkChanged();
  }

  private void anotherLink() throws IOException {
    HeapLink.Pair next = link(lossless ? 0 : 1);
    StreamLink joined =
        new StreamLink(
            bench.link.session(), 3, 4, next.a().window(), next.a(), SECOND_NONCE, bench);
    if (bench.stream.isClient()) {
      joined.provePeer();
    }
    RingEnd peer = new RingEnd(next.b());
    peer.consumer().credit().open();
    joined.consumer().credit().open();
    if (!bench.stream.attach(joined)) {
      return;
    }
    honest &= !inEpoch;
    links++;
    pair = next;
    ring = peer;
    nonce = SECOND_NONCE;
    epochs = 0;
    noMoreEpochs = false;
    trace.reached("another link");
  }

  // -- answers ---------------------------------------------------------------------------------

  void answer(int answer, int where) {
    Readiness readiness = bench.stream.readiness();
    int kind = Math.floorMod(answer, ANSWERS);
    try {
      switch (kind) {
        case 1 -> read(1 + where % 500);
        case 2 -> readAll();
        case 3 -> bench.write("little", false);
        case 4 -> bench.write("much".repeat(RING / 2), false);
        case 5 -> readiness.absorb();
        case 6 -> readiness.armForRead();
        case 7 -> assertThat(readiness.armForSpace()).isBetween(0L, OverflowRule.GRACE_NS);
        case 8 -> assertThat(readiness.readable() || readiness.writable()).isIn(true, false);
        case 9 -> bench.stream.nudge();
        case 10 -> assertThat(bench.stream.available()).isNotNegative();
        case 11 -> scatter();
        case 12 -> {
          if (where % 8 == 0) {
            bench.stream.shutdownOutput();
          }
        }
        default -> {}
      }
    } catch (IOException e) {
      boolean reading = kind == 1 || kind == 2 || kind == 10 || kind == 11;
      assertThat(reading && honest).as("an honest peer, and yet " + e).isFalse();
      trace.refused(e.toString());
    }
    look();
  }

  /** Where the stream has got to. */
  private void look() {
    StreamStatus status = bench.stream.status();
    if (status.inOnRing()) {
      trace.reached(epochs > 1 ? "second epoch" : "MARK");
      if (links > 1) {
        trace.reached("MARK of another link");
      }
    } else if (epochs > 0 && !inEpoch && ring.producer().epochs().isOver()) {
      trace.reached("BACK");
    }
    if (status.outOnRing()) {
      trace.reached("our epoch");
    }
    if (status.reason() == Reason.REVOKED) {
      trace.reached("revoked");
    }
    if (status.reason() == Reason.WRONG_PEER) {
      trace.reached("an unrelated process's MARK");
    }
    if (status.out().get(Counter.RING_BYTES) > 0) {
      trace.reached("writes on the ring");
    }
  }

  private int read(int room) throws IOException {
    ByteBuffer dst = ByteBuffer.allocate(room);
    int n = bench.stream.read(dst, false, 0);
    check(dst, n);
    return n;
  }

  private long scatter() throws IOException {
    ByteBuffer all = ByteBuffer.allocate(100);
    ByteBuffer[] dsts = {all.slice(0, 30), all.slice(30, 70)};
    long n = bench.stream.read(dsts, 0, 2, false);
    check(all.position((int) Math.max(0, n)), (int) n);
    return n;
  }

  private void check(ByteBuffer dst, int n) {
    if (n < 0) {
      assertThat(honest && (!ended || got < sent)).as("the end, after " + got).isFalse();
      trace.reached("end");
      return;
    }
    assertThat(dst.position()).isEqualTo(n);
    if (honest) {
      assertThat(dst.flip()).as("at " + got).isEqualTo(ByteBuffer.wrap(tape(got, n)));
    }
    got += n;
    if (n > 0) {
      trace.reached(bench.stream.status().inOnRing() ? "ring" : "raw");
    }
  }

  /** Reads until there seems to be nothing; false at the end. */
  private boolean readAll() throws IOException {
    int misses = 0;
    while (misses < 2) {
      bench.stream.readiness().absorb();
      int n = read(3000);
      if (n < 0) {
        return false;
      }
      misses = n == 0 ? misses + 1 : 0;
    }
    return true;
  }

  /** An honest peer's bytes have all arrived, or do now. */
  void finish() throws IOException {
    long deadline = System.nanoTime() + PATIENCE_NS;
    while (honest && got < sent && readAll()) {
      assertThat(System.nanoTime() - deadline).as("bytes missing: " + (sent - got)).isNegative();
    }
    look();
  }

  void close() throws IOException {
    // No port may stay busy for a minute: there are thousands of connections in a second.
    bench.wire.setOption(StandardSocketOptions.SO_LINGER, 0);
    bench.close();
  }

  private static byte[] tape(long from, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      long at = from + i;
      bytes[i] = (byte) (at * 31 + (at >>> 8) * 7);
    }
    return bytes;
  }
}
