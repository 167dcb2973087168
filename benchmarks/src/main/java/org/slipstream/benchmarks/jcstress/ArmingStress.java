package org.slipstream.benchmarks.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;

/** A writer publishes and looks for sleepers while the reader arms and looks for bytes. */
public class ArmingStress {
  private static final byte[] MESSAGE = {1, 2, 3};

  private ArmingStress() {}

  /** What is allowed: a reader that sleeps over bytes has a doorbell, and one only. */
  @Outcome(
      id = "true, 0",
      expect = Expect.FORBIDDEN,
      desc = "The reader sleeps and no doorbell came.")
  @Outcome(
      id = "true, 1",
      expect = Expect.ACCEPTABLE,
      desc = "The reader sleeps; the doorbell wakes.")
  @Outcome(id = "false, 0", expect = Expect.ACCEPTABLE, desc = "Seen in time, without a doorbell.")
  @Outcome(
      id = "false, 1",
      expect = Expect.ACCEPTABLE,
      desc = "Seen in time; the doorbell is stale.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "More than one doorbell for one arming.")
  public static class OneDoorbell {
    private OneDoorbell() {}
  }

  /** Both ends, and what came of it. */
  public static class Sleeper {
    final Ends ends;
    int doorbells;
    boolean asleep;

    Sleeper(Ends ends) {
      this.ends = ends;
    }

    final void sends() {
      Ends.send(ends.aOut(), MESSAGE, () -> ++doorbells > 0);
    }

    final void arms() {
      asleep = Ends.arm(ends.bIn());
    }

    final void result(ZI_Result r) {
      r.r1 = asleep;
      r.r2 = doorbells;
    }
  }

  /** One message through the ring. */
  @JCStressTest
  @JCStressMeta(OneDoorbell.class)
  @State
  public static class Ring extends Sleeper {
    /** Nothing was sent yet. */
    public Ring() {
      super(Ends.open());
    }

    /** The peer's writer. */
    @Actor
    public void writer() {
      sends();
    }

    /** Our reader. */
    @Actor
    public void reader() {
      arms();
    }

    /**
     * What came of it.
     *
     * @param r asleep, doorbells
     */
    @Arbiter
    public void look(ZI_Result r) {
      result(r);
    }
  }

  /** One message through the mailbox. */
  @JCStressTest
  @JCStressMeta(OneDoorbell.class)
  @State
  public static class Mailbox extends Sleeper {
    /** The next message travels in the mailbox. */
    public Mailbox() {
      super(Ends.conversing());
    }

    /** The peer's writer. */
    @Actor
    public void writer() {
      sends();
    }

    /** Our reader. */
    @Actor
    public void reader() {
      arms();
    }

    /**
     * What came of it.
     *
     * @param r asleep, doorbells
     */
    @Arbiter
    public void look(ZI_Result r) {
      result(r);
    }
  }

  /**
   * Two messages against a reader that arms, reads what it finds, and arms again without having
   * heard its doorbell: the arming sticks.
   */
  @JCStressTest
  @JCStressMeta(OneDoorbell.class)
  @State
  public static class Sticky extends Sleeper {
    /** Nothing was sent yet. */
    public Sticky() {
      super(Ends.open());
    }

    /** The peer's writer. */
    @Actor
    public void writer() {
      sends();
      sends();
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
     * @param r asleep, doorbells
     */
    @Arbiter
    public void look(ZI_Result r) {
      result(r);
    }
  }
}
