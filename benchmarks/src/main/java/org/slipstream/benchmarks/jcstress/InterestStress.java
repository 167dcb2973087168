package org.slipstream.benchmarks.jcstress;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.slipstream.core.doorbell.DoorbellSource;
import org.slipstream.core.loop.PollLoop;
import org.slipstream.core.loop.WatchedStream;
import org.slipstream.core.wait.LoadSensor;
import org.slipstream.core.wait.Spinner;

/**
 * What the kernel is asked of a stream follows what its program waits for, which any thread changes
 * and each asks the kernel for by itself while there is no link.
 */
public class InterestStress {
  private InterestStress() {}

  /** A stream of a client in a loop whose selector reports nothing. */
  private static final class Watched {
    final JoinedStreams streams = new JoinedStreams();
    final PollLoop<Object> loop =
        new PollLoop<>(new StubSelector(), new Spinner(new LoadSensor(1), 0), DoorbellSource.NONE);
    final WatchedStream<Object> stream = new WatchedStream<>(this, streams.client, 0);

    Watched() {
      try {
        loop.register(stream, streams.client.tcp());
      } catch (ClosedChannelException e) {
        throw new AssertionError(e);
      }
      loop.changed(stream);
    }

    /** A program's thread; any. */
    void add(int ops) {
      stream.addInterest(ops);
      loop.changed(stream);
    }

    /** The loop's thread. */
    void begin() {
      try {
        loop.begin();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    /** The control thread, and then a thread of the program. */
    void moveIntoTheRing() {
      streams.join();
      JoinedStreams.write(streams.client, "one");
    }

    int askedOfTheKernel() {
      return stream.kernelKey().interestOps();
    }
  }

  /** Two threads of the program. */
  @JCStressTest
  @JCStressMeta(BothAreAskedFor.class)
  @State
  public static class TwoThreads {
    private final Watched watched = new Watched();

    /** Watched, for nothing. */
    public TwoThreads() {}

    /** Waits for data. */
    @Actor
    public void reader() {
      watched.add(SelectionKey.OP_READ);
    }

    /** Waits for space. */
    @Actor
    public void writer() {
      watched.add(SelectionKey.OP_WRITE);
    }

    /**
     * What came of it.
     *
     * @param r what the kernel is asked
     */
    @Arbiter
    public void look(I_Result r) {
      r.r1 = watched.askedOfTheKernel();
    }
  }

  /** A thread of the program, and a loop that changes the interest by itself, as Netty's does. */
  @JCStressTest
  @JCStressMeta(BothAreAskedFor.class)
  @State
  public static class ThreadAndLoop {
    private final Watched watched = new Watched();

    /** Watched, for nothing. */
    public ThreadAndLoop() {}

    /** Waits for data. */
    @Actor
    public void reader() {
      watched.add(SelectionKey.OP_READ);
    }

    /** Waits for space. */
    @Actor
    public void loop() {
      watched.stream.addInterest(SelectionKey.OP_WRITE);
      watched.loop.apply(watched.stream);
    }

    /**
     * What came of it.
     *
     * @param r what the kernel is asked
     */
    @Arbiter
    public void look(I_Result r) {
      r.r1 = watched.askedOfTheKernel();
    }
  }

  /** Without a link the kernel is asked for all that is waited for. */
  @Outcome(id = "5", expect = Expect.ACCEPTABLE, desc = "The last one has seen both.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "The kernel is not asked for one of them.")
  public static class BothAreAskedFor {
    private BothAreAskedFor() {}
  }

  /** A link comes, and the next write is in the ring. */
  @JCStressTest
  @JCStressMeta(TheKernelKnowsNothingOfTheRing.class)
  @State
  public static class LinkComes {
    private final Watched watched = new Watched();

    /** Waits for data. */
    public LinkComes() {
      watched.add(SelectionKey.OP_READ);
    }

    /** Waits for space, too. */
    @Actor
    public void program() {
      watched.add(SelectionKey.OP_WRITE);
    }

    /** Switches, and the loop hears of it in its next round. */
    @Actor
    public void controlAndLoop() {
      watched.moveIntoTheRing();
      watched.begin();
    }

    /**
     * What came of it in the round behind that.
     *
     * @param r what the kernel is asked
     */
    @Arbiter
    public void look(I_Result r) {
      watched.begin();
      r.r1 = watched.askedOfTheKernel();
    }
  }

  /** The loop hears of a link in a round of its own. */
  @JCStressTest
  @JCStressMeta(TheKernelKnowsNothingOfTheRing.class)
  @State
  public static class LinkHasCome {
    private final Watched watched = new Watched();

    /** Waits for data. */
    public LinkHasCome() {
      watched.add(SelectionKey.OP_READ);
      watched.moveIntoTheRing();
    }

    /** Waits for space, too. */
    @Actor
    public void program() {
      watched.add(SelectionKey.OP_WRITE);
    }

    /** Looks at what has changed. */
    @Actor
    public void loop() {
      watched.begin();
    }

    /**
     * What came of it in the next round.
     *
     * @param r what the kernel is asked
     */
    @Arbiter
    public void look(I_Result r) {
      watched.begin();
      r.r1 = watched.askedOfTheKernel();
    }
  }

  /** With a link the loop has the last word. */
  @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "The loop asks for data alone.")
  @Outcome(
      expect = Expect.FORBIDDEN,
      desc = "A TCP connection with space would wake the loop for ever, or data never.")
  public static class TheKernelKnowsNothingOfTheRing {
    private TheKernelKnowsNothingOfTheRing() {}
  }
}
