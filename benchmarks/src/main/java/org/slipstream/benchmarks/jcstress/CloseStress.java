package org.slipstream.benchmarks.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/** A stream is closed while others are inside: the last one out gives the link back, once. */
public class CloseStress {
  private CloseStress() {}

  /** Against a reader. */
  @JCStressTest
  @Outcome(id = "1, false", expect = Expect.ACCEPTABLE, desc = "Given back once, then left alone.")
  @Outcome(id = "0, false", expect = Expect.FORBIDDEN, desc = "Never given back: it leaks.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Given back twice, or used after that.")
  @State
  public static class Reader {
    private final HeapPeer stream = new HeapPeer();

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
      r.r1 = stream.unused();
      r.r2 = stream.wasUsedAfterRelease();
    }
  }

  /** Against a writer. */
  @JCStressTest
  @Outcome(id = "1, false", expect = Expect.ACCEPTABLE, desc = "Given back once, then left alone.")
  @Outcome(id = "0, false", expect = Expect.FORBIDDEN, desc = "Never given back: it leaks.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Given back twice, or used after that.")
  @State
  public static class Writer {
    private final HeapPeer stream = new HeapPeer();

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
      r.r1 = stream.unused();
      r.r2 = stream.wasUsedAfterRelease();
    }
  }

  /** Against a selector that arms before it sleeps. */
  @JCStressTest
  @Outcome(id = "1, false", expect = Expect.ACCEPTABLE, desc = "Given back once, then left alone.")
  @Outcome(id = "0, false", expect = Expect.FORBIDDEN, desc = "Never given back: it leaks.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Given back twice, or used after that.")
  @State
  public static class Selector {
    private final HeapPeer stream = new HeapPeer();

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
      r.r1 = stream.unused();
      r.r2 = stream.wasUsedAfterRelease();
    }
  }

  /** Against a reader and a writer that leave at the same moment. */
  @JCStressTest
  @Outcome(id = "1, false", expect = Expect.ACCEPTABLE, desc = "Given back once, then left alone.")
  @Outcome(id = "0, false", expect = Expect.FORBIDDEN, desc = "Never given back: it leaks.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Given back twice, or used after that.")
  @State
  public static class ReaderAndWriter {
    private final HeapPeer stream = new HeapPeer();

    /** Reads. */
    @Actor
    public void reader() {
      stream.read();
    }

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
      r.r1 = stream.unused();
      r.r2 = stream.wasUsedAfterRelease();
    }
  }
}
