package org.slipstream.benchmarks.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;

/** A writer publishes and looks for sleepers while the reader arms and looks for bytes. */
public class ArmingStress {
  private static final byte[] MESSAGE = {1, 2, 3};

  private ArmingStress() {}

  /** One message through the ring. */
  @JCStressTest
  @Outcome(id = "true, 0", expect = Expect.FORBIDDEN, desc = "The reader sleeps and no bell rang.")
  @Outcome(id = "true, 1", expect = Expect.ACCEPTABLE, desc = "The reader sleeps; the bell wakes.")
  @Outcome(id = "false, 0", expect = Expect.ACCEPTABLE, desc = "Published before the arming.")
  @Outcome(id = "false, 1", expect = Expect.ACCEPTABLE, desc = "Seen in time; the bell is stale.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "More than one bell for one arming.")
  @State
  public static class Ring {
    private final Ends ends = Ends.open();
    private int bells;
    private boolean asleep;

    /** The peer's writer. */
    @Actor
    public void writer() {
      Ends.send(ends.aOut(), MESSAGE, () -> ++bells > 0);
    }

    /** Our reader. */
    @Actor
    public void reader() {
      asleep = Ends.arm(ends.bIn());
    }

    /**
     * What came of it.
     *
     * @param r asleep, bells
     */
    @Arbiter
    public void look(ZI_Result r) {
      r.r1 = asleep;
      r.r2 = bells;
    }
  }

  /** One message through the mailbox. */
  @JCStressTest
  @Outcome(id = "true, 0", expect = Expect.FORBIDDEN, desc = "The reader sleeps and no bell rang.")
  @Outcome(id = "true, 1", expect = Expect.ACCEPTABLE, desc = "The reader sleeps; the bell wakes.")
  @Outcome(id = "false, 0", expect = Expect.ACCEPTABLE, desc = "Published before the arming.")
  @Outcome(id = "false, 1", expect = Expect.ACCEPTABLE, desc = "Seen in time; the bell is stale.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "More than one bell for one arming.")
  @State
  public static class Mailbox {
    private final Ends ends = Ends.conversing();
    private int bells;
    private boolean asleep;

    /** The peer's writer. */
    @Actor
    public void writer() {
      Ends.send(ends.aOut(), MESSAGE, () -> ++bells > 0);
    }

    /** Our reader. */
    @Actor
    public void reader() {
      asleep = Ends.arm(ends.bIn());
    }

    /**
     * What came of it.
     *
     * @param r asleep, bells
     */
    @Arbiter
    public void look(ZI_Result r) {
      r.r1 = asleep;
      r.r2 = bells;
    }
  }

  /**
   * Two messages against a reader that arms, reads what it finds, and arms again without having
   * heard its bell: the arming sticks.
   */
  @JCStressTest
  @Outcome(id = "true, 0", expect = Expect.FORBIDDEN, desc = "The reader sleeps and no bell rang.")
  @Outcome(id = "true, 1", expect = Expect.ACCEPTABLE, desc = "The reader sleeps; the bell wakes.")
  @Outcome(id = "false, 0", expect = Expect.ACCEPTABLE, desc = "All was seen without a bell.")
  @Outcome(id = "false, 1", expect = Expect.ACCEPTABLE, desc = "All was seen; the bell is stale.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "More than one bell for one arming.")
  @State
  public static class Sticky {
    private final Ends ends = Ends.open();
    private int bells;
    private boolean asleep;

    /** The peer's writer. */
    @Actor
    public void writer() {
      Ends.send(ends.aOut(), MESSAGE, () -> ++bells > 0);
      Ends.send(ends.aOut(), MESSAGE, () -> ++bells > 0);
    }

    /** Our reader. */
    @Actor
    public void reader() {
      boolean sleeps = Ends.arm(ends.bIn());
      int read = Ends.receive(ends.bIn(), new byte[2 * MESSAGE.length]);
      if (read > 0) {
        sleeps = Ends.arm(ends.bIn());
        read += Ends.receive(ends.bIn(), new byte[2 * MESSAGE.length]);
      }
      asleep = sleeps && read < 2 * MESSAGE.length;
    }

    /**
     * What came of it.
     *
     * @param r asleep, bells
     */
    @Arbiter
    public void look(ZI_Result r) {
      r.r1 = asleep;
      r.r2 = bells;
    }
  }
}
