package org.slipstream.benchmarks.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/** A stream is closed while others are inside: the last one out gives the link back, once. */
public class CloseStress {
  private CloseStress() {}

  /** What is allowed: the link goes back once, and is not used after that. */
  @Outcome(id = "1, false", expect = Expect.ACCEPTABLE, desc = "Given back once, then left alone.")
  @Outcome(id = "0, false", expect = Expect.FORBIDDEN, desc = "Never given back: it leaks.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Given back twice, or used after that.")
  public static class GivenBackOnce {
    private GivenBackOnce() {}
  }

  /** A stream, and what came of it. */
  public static class Closing {
    final HeapPeer stream = new HeapPeer();

    final void result(IZ_Result r) {
      r.r1 = stream.unused();
      r.r2 = stream.wasUsedAfterRelease();
    }
  }

  /** Against a reader. */
  @JCStressTest
  @JCStressMeta(GivenBackOnce.class)
  @State
  public static class Reader extends Closing {
    /** Reads. */
    @Actor
    public void reader() {
      stream.read();
    }

    /** Closes. */
    @Actor
    public void closer() {
      stream.close();
    }

    /**
     * What came of it.
     *
     * @param r how often given back, whether used after that
     */
    @Arbiter
    public void look(IZ_Result r) {
      result(r);
    }
  }

  /** Against a writer. */
  @JCStressTest
  @JCStressMeta(GivenBackOnce.class)
  @State
  public static class Writer extends Closing {
    /** Writes. */
    @Actor
    public void writer() {
      stream.write();
    }

    /** Closes. */
    @Actor
    public void closer() {
      stream.close();
    }

    /**
     * What came of it.
     *
     * @param r how often given back, whether used after that
     */
    @Arbiter
    public void look(IZ_Result r) {
      result(r);
    }
  }

  /** Against a selector that arms before it sleeps. */
  @JCStressTest
  @JCStressMeta(GivenBackOnce.class)
  @State
  public static class Selector extends Closing {
    /** Arms and looks. */
    @Actor
    public void selector() {
      stream.look();
    }

    /** Closes. */
    @Actor
    public void closer() {
      stream.close();
    }

    /**
     * What came of it.
     *
     * @param r how often given back, whether used after that
     */
    @Arbiter
    public void look(IZ_Result r) {
      result(r);
    }
  }
}
