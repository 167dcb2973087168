package org.slipstream.benchmarks.jcstress;

import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * A direction leaves TCP, or comes back to TCP, while the other end reads: the count in the window,
 * MARK and BACK on the TCP connection, and the bytes of both must come to one sequence.
 */
public class SwitchStress {
  private static final int ROOM = 64;

  private SwitchStress() {}

  /** What is allowed: all bytes, once, in order, and by the ring if that was the end of it. */
  @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "All bytes, in order.")
  @Outcome(id = "false, .*", expect = Expect.FORBIDDEN, desc = "Bytes were lost or out of order.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Not where the direction should have ended up.")
  public static class OneSequence {
    private OneSequence() {}
  }

  /** Streams that are joined when the test begins, or by a thread of it. */
  public static class Both {
    final JoinedStreams streams = new JoinedStreams();

    /** What the server has read. */
    final ByteBuffer got = ByteBuffer.allocate(ROOM);

    final void serverReads(int times, int room) {
      for (int i = 0; i < times; i++) {
        got.limit(Math.min(ROOM, got.position() + room));
        JoinedStreams.read(streams.server, got);
      }
      got.limit(ROOM);
    }

    final void clientSwitches() {
      JoinedStreams.write(streams.client, "raw ");
      streams.join();
      JoinedStreams.write(streams.client, "ring");
    }

    final void result(ZZ_Result r) {
      r.r1 = JoinedStreams.isAll(streams.server, got, "raw ring");
      r.r2 = streams.server.status().inOnRing();
    }
  }

  /** Against a reader with room for everything: MARK may lie in the program's buffer. */
  @JCStressTest
  @JCStressMeta(OneSequence.class)
  @State
  public static class LargeReads extends Both {
    /** Reads. */
    @Actor
    public void server() {
      serverReads(3, ROOM);
    }

    /** Writes raw, is joined, switches, and writes into the ring. */
    @Actor
    public void client() {
      clientSwitches();
    }

    /**
     * What came of it.
     *
     * @param r all bytes, on the ring
     */
    @Arbiter
    public void look(ZZ_Result r) {
      result(r);
    }
  }

  /** Against a reader whose buffer ends in the middle of everything. */
  @JCStressTest
  @JCStressMeta(OneSequence.class)
  @State
  public static class SmallReads extends Both {
    /** Reads. */
    @Actor
    public void server() {
      serverReads(6, 3);
    }

    /** Writes raw, is joined, switches, and writes into the ring. */
    @Actor
    public void client() {
      clientSwitches();
    }

    /**
     * What came of it.
     *
     * @param r all bytes, on the ring
     */
    @Arbiter
    public void look(ZZ_Result r) {
      result(r);
    }
  }

  /** Against a selector, which takes MARK off the TCP connection before the program reads. */
  @JCStressTest
  @JCStressMeta(OneSequence.class)
  @State
  public static class Absorbed extends Both {
    /** Looks, and reads if there seems to be something. */
    @Actor
    public void server() {
      for (int i = 0; i < 3; i++) {
        if (streams.server.readiness().absorb()) {
          serverReads(1, ROOM);
        }
        streams.server.readiness().armForRead();
      }
    }

    /** Writes raw, is joined, switches, and writes into the ring. */
    @Actor
    public void client() {
      clientSwitches();
    }

    /**
     * What came of it.
     *
     * @param r all bytes, on the ring
     */
    @Arbiter
    public void look(ZZ_Result r) {
      result(r);
    }
  }

  /** The server answers: its direction follows as soon as MARK was read. */
  public static class Answering extends Both {
    private final ByteBuffer answer = ByteBuffer.allocate(ROOM);

    final void serverAnswers() {
      JoinedStreams.write(streams.server, "an");
      JoinedStreams.write(streams.server, "swer");
    }

    final void clientReads() {
      JoinedStreams.read(streams.client, answer);
      JoinedStreams.read(streams.client, answer);
    }

    final void answered(ZZ_Result r) {
      r.r1 =
          JoinedStreams.isAll(streams.server, got, "raw ring")
              && JoinedStreams.isAll(streams.client, answer, "answer");
      JoinedStreams.write(streams.server, "!"); // at the latest, now that MARK was read
      r.r1 &= JoinedStreams.isAll(streams.client, answer, "answer!");
      r.r2 = streams.server.status().inOnRing() && streams.client.status().inOnRing();
    }
  }

  /** Against a server that only writes, and takes MARK off the TCP connection if it is next. */
  @JCStressTest
  @JCStressMeta(OneSequence.class)
  @State
  public static class OnlyWrites extends Answering {
    /** Writes raw, is joined, switches, and reads what comes. */
    @Actor
    public void client() {
      clientSwitches();
      clientReads();
    }

    /** Writes. */
    @Actor
    public void server() {
      serverAnswers();
    }

    /**
     * What came of it.
     *
     * @param r all bytes, on the ring
     */
    @Arbiter
    public void look(ZZ_Result r) {
      answered(r);
    }
  }

  /** The server's reader and writer find the same MARK. */
  @JCStressTest
  @JCStressMeta(OneSequence.class)
  @State
  public static class ReaderAgainstWriter extends Answering {
    /** MARK is on TCP. */
    public ReaderAgainstWriter() {
      clientSwitches();
    }

    /** Reads. */
    @Actor
    public void reader() {
      serverReads(2, ROOM);
    }

    /** Writes. */
    @Actor
    public void writer() {
      serverAnswers();
    }

    /**
     * What came of it.
     *
     * @param r all bytes, on the ring
     */
    @Arbiter
    public void look(ZZ_Result r) {
      answered(r);
    }
  }

  /** The direction falls back to TCP, with a reader anywhere in between. */
  @JCStressTest
  @JCStressMeta(OneSequence.class)
  @State
  public static class FallBack extends Both {
    /** On the ring. */
    public FallBack() {
      streams.join();
      JoinedStreams.write(streams.client, "ring");
    }

    /** Writes into the ring, then raw behind BACK. */
    @Actor
    public void client() {
      JoinedStreams.write(streams.client, " and");
      streams.clientFallsBack();
      JoinedStreams.write(streams.client, " raw");
      JoinedStreams.write(streams.client, " again");
    }

    /** Reads. */
    @Actor
    public void server() {
      serverReads(4, 5);
    }

    /**
     * What came of it.
     *
     * @param r all bytes, over TCP
     */
    @Arbiter
    public void look(ZZ_Result r) {
      r.r1 = JoinedStreams.isAll(streams.server, got, "ring and raw again");
      r.r2 = !streams.server.status().inOnRing();
    }
  }
}
