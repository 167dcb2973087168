package org.slipstream.benchmarks.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.slipstream.core.wait.StreamLock;

/** Threads that meet at the lock of a direction. A waking that is lost never ends the run. */
public class LockStress {
  private LockStress() {}

  /** What is allowed: every thread gets in, one at a time. */
  @Outcome(id = "4", expect = Expect.ACCEPTABLE, desc = "No thread was disturbed.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Two were inside at once.")
  public static class Alone {
    private Alone() {}
  }

  /** Something that only one at a time may change. */
  public static class Shared {
    final StreamLock lock = new StreamLock();
    int entries;

    final void enter() {
      lock.lock();
      try {
        entries++;
      } finally {
        lock.unlock();
      }
    }

    final void enterSoon() {
      while (!lock.tryLock(100)) {
        Thread.onSpinWait();
      }
      try {
        entries++;
      } finally {
        lock.unlock();
      }
    }
  }

  /** Two threads that wait as long as it takes. */
  @JCStressTest
  @JCStressMeta(Alone.class)
  @State
  public static class Two extends Shared {
    /** Goes in twice. */
    @Actor
    public void first() {
      enter();
      enter();
    }

    /** Goes in twice. */
    @Actor
    public void second() {
      enter();
      enter();
    }

    /**
     * What came of it.
     *
     * @param r entries
     */
    @Arbiter
    public void look(I_Result r) {
      r.r1 = entries;
    }
  }

  /** One of them gives up again and again, and must leave nothing behind. */
  @JCStressTest
  @JCStressMeta(Alone.class)
  @State
  public static class Impatient extends Shared {
    /** Goes in twice. */
    @Actor
    public void first() {
      enter();
      enter();
    }

    /** Gives up when it takes too long, and comes back. */
    @Actor
    public void impatient() {
      enterSoon();
      enterSoon();
    }

    /**
     * What came of it.
     *
     * @param r entries
     */
    @Arbiter
    public void look(I_Result r) {
      r.r1 = entries;
    }
  }
}
