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
 * A link fails while a direction enters its ring. The control thread, which holds no lock, must not
 * find the stream free for another link, and the direction in the ring of this one all the same.
 */
public class JoinAgainStress {
  private JoinAgainStress() {}

  /** Joinable, and in the ring. */
  @Outcome(id = "true, true", expect = Expect.FORBIDDEN, desc = "Another link would be attached.")
  @Outcome(expect = Expect.ACCEPTABLE, desc = "One of them has seen the other.")
  public static class OneSeesTheOther {
    private OneSeesTheOther() {}
  }

  /** The sending direction. */
  @JCStressTest
  @JCStressMeta(OneSeesTheOther.class)
  @State
  public static class Sending {
    private final JoinedStreams streams = new JoinedStreams();

    /** Joined, and on TCP. */
    public Sending() {
      streams.join();
    }

    /** Switches if the link is good. */
    @Actor
    public void writer() {
      JoinedStreams.write(streams.client, "one");
    }

    /**
     * Looks for a stream to be joined.
     *
     * @param r whether this is one
     */
    @Actor
    public void control(ZZ_Result r) {
      r.r1 = streams.clientIsJoinableAfterLoss();
    }

    /**
     * What came of it.
     *
     * @param r where the direction is
     */
    @Arbiter
    public void look(ZZ_Result r) {
      r.r2 = streams.client.status().outOnRing();
    }
  }

  /** The receiving direction, whose MARK is there. */
  @JCStressTest
  @JCStressMeta(OneSeesTheOther.class)
  @State
  public static class Receiving {
    private final JoinedStreams streams = new JoinedStreams();
    private final ByteBuffer got = ByteBuffer.allocate(8);

    /** The client has switched. */
    public Receiving() {
      streams.join();
      JoinedStreams.write(streams.client, "one");
    }

    /** Takes MARK. */
    @Actor
    public void reader() {
      JoinedStreams.read(streams.server, got);
    }

    /**
     * Looks for a stream to be joined.
     *
     * @param r whether this is one
     */
    @Actor
    public void control(ZZ_Result r) {
      r.r1 = streams.serverIsJoinableAfterLoss();
    }

    /**
     * What came of it.
     *
     * @param r where the direction is
     */
    @Arbiter
    public void look(ZZ_Result r) {
      r.r2 = streams.server.status().inOnRing();
    }
  }
}
