package org.slipstream.benchmarks.jcstress;

import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.J_Result;

/** A reader that sees a position sees the bytes below it. */
public class VisibilityStress {
  private static final long FIRST = 1111111111L;
  private static final long SECOND = 2222222222L;

  private VisibilityStress() {}

  private static byte[] bytes(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  /** What a reader found: two values, 0 for one that has not come. */
  private static void found(JJ_Result r, byte[] bytes) {
    ByteBuffer b = ByteBuffer.wrap(bytes);
    r.r1 = b.getLong();
    r.r2 = b.getLong();
  }

  /** A message in the ring. */
  @JCStressTest
  @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "Nothing published yet.")
  @Outcome(id = "1111111111", expect = Expect.ACCEPTABLE, desc = "The whole message.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "The position was visible before the bytes.")
  @State
  public static class Ring {
    private final Ends ends = Ends.open();

    /** Writes one message. */
    @Actor
    public void writer() {
      Ends.send(ends.aOut(), bytes(FIRST));
    }

    /**
     * Reads once.
     *
     * @param r what was read
     */
    @Actor
    public void reader(J_Result r) {
      byte[] in = new byte[Long.BYTES];
      Ends.receive(ends.bIn(), in);
      r.r1 = ByteBuffer.wrap(in).getLong();
    }
  }

  /** A message in the mailbox. */
  @JCStressTest
  @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "Nothing published yet.")
  @Outcome(id = "1111111111", expect = Expect.ACCEPTABLE, desc = "The whole message.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "The position was visible before the mailbox.")
  @State
  public static class Mailbox {
    private final Ends ends = Ends.conversing();

    /** Writes one message. */
    @Actor
    public void writer() {
      Ends.send(ends.aOut(), bytes(FIRST));
    }

    /**
     * Reads once.
     *
     * @param r what was read
     */
    @Actor
    public void reader(J_Result r) {
      byte[] in = new byte[Long.BYTES];
      Ends.receive(ends.bIn(), in);
      r.r1 = ByteBuffer.wrap(in).getLong();
    }
  }

  /** A message in the mailbox that is seen after its position, or a part of it. */
  @JCStressTest
  @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "Nothing is whole yet.")
  @Outcome(id = "1111111111", expect = Expect.ACCEPTABLE, desc = "The whole message.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Half a message was read.")
  @State
  public static class SelfValidatingMailbox {
    private final Ends ends = Ends.torn();

    /** Writes one message. */
    @Actor
    public void writer() {
      Ends.send(ends.aOut(), bytes(FIRST));
    }

    /**
     * Reads once.
     *
     * @param r what was read
     */
    @Actor
    public void reader(J_Result r) {
      byte[] in = new byte[Long.BYTES];
      Ends.receive(ends.bIn(), in);
      r.r1 = ByteBuffer.wrap(in).getLong();
    }
  }

  /** A message in the mailbox and one behind it in the ring, taken by two reads. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Nothing published yet.")
  @Outcome(id = "1111111111, 0", expect = Expect.ACCEPTABLE, desc = "The first message.")
  @Outcome(id = "1111111111, 2222222222", expect = Expect.ACCEPTABLE, desc = "Both messages.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Bytes were torn, lost, or from the wrong place.")
  @State
  public static class MailboxThenRing {
    private final Ends ends = Ends.conversing();

    /** Writes two messages. */
    @Actor
    public void writer() {
      Ends.send(ends.aOut(), bytes(FIRST));
      Ends.send(ends.aOut(), bytes(SECOND));
    }

    /**
     * Reads twice.
     *
     * @param r what was read
     */
    @Actor
    public void reader(JJ_Result r) {
      byte[] in = new byte[2 * Long.BYTES];
      ByteBuffer room = ByteBuffer.wrap(in);
      try {
        ends.bIn().read(room);
        ends.bIn().read(room);
      } catch (java.io.IOException e) {
        throw new AssertionError(e);
      }
      found(r, in);
    }
  }

  /** A mailbox that is used again as soon as the answer echoes that it was read. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Nothing published yet.")
  @Outcome(id = "1111111111, 0", expect = Expect.ACCEPTABLE, desc = "The first message.")
  @Outcome(id = "1111111111, 2222222222", expect = Expect.ACCEPTABLE, desc = "Both messages.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "The mailbox was overwritten before it was read.")
  @State
  public static class MailboxReuse {
    private final Ends ends = Ends.conversing();

    /** Writes, waits a little for the answer, writes again. */
    @Actor
    public void writer() {
      Ends.send(ends.aOut(), bytes(FIRST));
      for (int i = 0; i < 20 && Ends.receive(ends.aIn(), new byte[1]) == 0; i++) {
        Thread.onSpinWait();
      }
      Ends.send(ends.aOut(), bytes(SECOND));
    }

    /**
     * Reads, answers, reads again.
     *
     * @param r what was read
     */
    @Actor
    public void reader(JJ_Result r) {
      byte[] in = new byte[2 * Long.BYTES];
      ByteBuffer room = ByteBuffer.wrap(in);
      try {
        for (int i = 0; i < 20 && room.hasRemaining(); i++) {
          if (ends.bIn().read(room) > 0) {
            Ends.send(ends.bOut(), new byte[1]);
          }
        }
      } catch (java.io.IOException e) {
        throw new AssertionError(e);
      }
      found(r, in);
    }
  }
}
