package org.slipstream.benchmarks.jcstress;

import java.io.IOException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.slipstream.core.api.Reason;

/** A program uses urgent data while the control thread gives its stream a link. */
public class UrgentStress {
  private UrgentStress() {}

  /** Ruled out, or told. */
  @Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "The peer's byte would be lost.")
  @Outcome(expect = Expect.ACCEPTABLE, desc = "The stream stays on TCP, or the peer knows.")
  public static class RuledOutOrTold {
    private RuledOutOrTold() {}
  }

  /** The program wants urgent bytes in line. */
  @JCStressTest
  @JCStressMeta(RuledOutOrTold.class)
  @State
  public static class Inline {
    private final JoinedStreams streams = new JoinedStreams();

    /** Not joined yet. */
    public Inline() {}

    /** The program. */
    @Actor
    public void program() {
      try {
        streams.server.urgentData().inlineChanged(true);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    /** Gives both streams their links. */
    @Actor
    public void control() {
      streams.join();
    }

    /**
     * What came of it.
     *
     * @param r ruled out, told
     */
    @Arbiter
    public void look(ZZ_Result r) {
      r.r1 = streams.server.status().reason() == Reason.URGENT_DATA;
      r.r2 = streams.isClientToldOfInline();
    }
  }

  /** On TCP for good. */
  @Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "The stream stays on TCP.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Its bytes would be counted wrongly by its peer.")
  public static class OnTcpForGood {
    private OnTcpForGood() {}
  }

  /** The program has sent an urgent byte by TCP. */
  @JCStressTest
  @JCStressMeta(OnTcpForGood.class)
  @State
  public static class Sent {
    private final JoinedStreams streams = new JoinedStreams();

    /** Not joined yet. */
    public Sent() {}

    /** The program. */
    @Actor
    public void program() {
      try {
        streams.client.urgentData().send(1);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    /** Gives both streams their links. */
    @Actor
    public void control() {
      streams.join();
    }

    /**
     * What came of it, behind another write.
     *
     * @param r ruled out, in the ring
     */
    @Arbiter
    public void look(ZZ_Result r) {
      JoinedStreams.write(streams.client, "one");
      r.r1 = streams.client.status().reason() == Reason.URGENT_DATA;
      r.r2 = streams.client.status().outOnRing();
    }
  }
}
