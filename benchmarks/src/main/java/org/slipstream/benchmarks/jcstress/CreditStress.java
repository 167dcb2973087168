package org.slipstream.benchmarks.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A writer that ran out of credit asks for a notice while the reader makes room. */
public class CreditStress {
  private CreditStress() {}

  /** What is allowed: a writer that sleeps without credit gets a notice. */
  @Outcome(id = "true, false", expect = Expect.FORBIDDEN, desc = "The writer sleeps, no notice.")
  @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "The writer sleeps; notice wakes.")
  @Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "The credit was seen in time.")
  @Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "Seen in time; notice is stale.")
  public static class Noticed {
    private Noticed() {}
  }

  /** A writer before a full ring, and what came of it. */
  public static class Starved {
    final Ends ends = full();
    boolean asleep;
    boolean notice;

    final void asks() {
      ends.aOut().credit().request();
      asleep = Ends.space(ends.aOut()) == 0;
    }

    final void result(ZZ_Result r) {
      r.r1 = asleep;
      r.r2 = notice;
    }
  }

  /** The reader empties the ring in one read. */
  @JCStressTest
  @JCStressMeta(Noticed.class)
  @State
  public static class OneRead extends Starved {
    /** Makes room. */
    @Actor
    public void reader() {
      Ends.receive(ends.bIn(), new byte[Ends.RING_BYTES]);
      notice = ends.bIn().credit().takeNotice();
    }

    /** Asks and looks again. */
    @Actor
    public void writer() {
      asks();
    }

    /**
     * What came of it.
     *
     * @param r asleep, notice
     */
    @Arbiter
    public void look(ZZ_Result r) {
      result(r);
    }
  }

  /** The reader empties the ring in many small reads, of which few give credit. */
  @JCStressTest
  @JCStressMeta(Noticed.class)
  @State
  public static class ManyReads extends Starved {
    /** Makes room. */
    @Actor
    public void reader() {
      byte[] piece = new byte[Ends.RING_BYTES / 16];
      while (Ends.receive(ends.bIn(), piece) > 0) {
        notice |= ends.bIn().credit().takeNotice();
      }
    }

    /** Asks and looks again. */
    @Actor
    public void writer() {
      asks();
    }

    /**
     * What came of it.
     *
     * @param r asleep, notice
     */
    @Arbiter
    public void look(ZZ_Result r) {
      result(r);
    }
  }

  private static Ends full() {
    Ends ends = Ends.open();
    Ends.send(ends.aOut(), new byte[Ends.RING_BYTES]);
    return ends;
  }
}
