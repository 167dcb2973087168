package org.slipstream.benchmarks.jcstress;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;
import org.slipstream.core.doorbell.FutexWord;
import org.slipstream.core.doorbell.Sleeper;
import org.slipstream.core.doorbell.WindowDoorbell;
import org.slipstream.core.ring.PipeAddress;
import org.slipstream.core.ring.RingConsumer;
import org.slipstream.core.ring.RingProducer;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.transport.ControlLayout;

/**
 * A reader prepares to sleep on the futex of its window while others do what has to wake it. The
 * kernel lets it sleep if the word has the value that was loaded, and who increments the word wakes
 * ; so a sleep that no thread ends is a reader that wants to sleep over an unchanged word.
 */
public class FutexStress {
  private static final byte[] MESSAGE = {1, 2, 3};

  private FutexStress() {}

  /** The message is there, or the stream closed, when it sleeps. */
  @Outcome(id = "false, 0", expect = Expect.ACCEPTABLE, desc = "Awake, or woken by the futex.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "It sleeps for ever, or was woken by TCP.")
  public static class Woken {
    private Woken() {}
  }

  /** Both ends of one direction. */
  public static class Reading {
    private final RingProducer out;
    private final RingConsumer in;
    private final MemorySegment words;
    private final Sleeper sleeper = StubDoorbells.sleeper();
    private volatile boolean closed;
    private final FutexWord word;
    private int value;
    private boolean wantsToSleep;
    private int tcp;

    Reading() {
      HeapLink.Pair pair = Ends.link();
      WindowDoorbell doorbell = StubDoorbells.of(pair.a());
      RingConsumer back = new RingConsumer(pair.a(), pair.a().window());
      in = new RingConsumer(pair.b(), pair.b().window());
      in.credit().open();
      out = new RingProducer(pair.a(), back, doorbell);
      words = pair.b().receiveControl();
      word = new FutexWord(words);
    }

    final void write() {
      try {
        out.write(ByteBuffer.wrap(MESSAGE), () -> ++tcp > 0);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    final void close() {
      closed = true;
      sleeper.wake();
    }

    /** In the order of a blocking read. */
    final void prepare() {
      value = sleeper.begin(word);
      try {
        wantsToSleep = in.arm(PipeAddress.FUTEX) && !closed;
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    /** Awake again, for whatever reason, it reads and prepares once more. */
    final void readAndPrepare() {
      try {
        in.read(ByteBuffer.allocate(MESSAGE.length));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
      prepare();
    }

    final void result(ZI_Result r) {
      boolean sameWord = ControlLayout.getIntAcquire(words, ControlLayout.DOORBELL_FUTEX) == value;
      r.r1 = wantsToSleep && sameWord && (closed || in.peekAvailable());
      r.r2 = tcp;
    }
  }

  /** Against a writer. */
  @JCStressTest
  @JCStressMeta(Woken.class)
  @State
  public static class Writer extends Reading {
    /** Nothing was sent yet. */
    public Writer() {}

    /** The peer's writer. */
    @Actor
    public void writer() {
      write();
    }

    /** Our reader. */
    @Actor
    public void reader() {
      prepare();
    }

    /**
     * What came of it.
     *
     * @param r sleeps for ever, doorbells on TCP
     */
    @Arbiter
    public void look(ZI_Result r) {
      result(r);
    }
  }

  /** Against a writer of two messages; the reader has been awake in between. */
  @JCStressTest
  @JCStressMeta(Woken.class)
  @State
  public static class Again extends Reading {
    /** Nothing was sent yet. */
    public Again() {}

    /** The peer's writer. */
    @Actor
    public void writer() {
      write();
      write();
    }

    /** Our reader. */
    @Actor
    public void reader() {
      prepare();
      readAndPrepare();
    }

    /**
     * What came of it.
     *
     * @param r sleeps for ever, doorbells on TCP
     */
    @Arbiter
    public void look(ZI_Result r) {
      result(r);
    }
  }

  /** Against a closer of its own process. */
  @JCStressTest
  @JCStressMeta(Woken.class)
  @State
  public static class Closer extends Reading {
    /** Open. */
    public Closer() {}

    /** Another thread. */
    @Actor
    public void closer() {
      close();
    }

    /** Our reader. */
    @Actor
    public void reader() {
      prepare();
    }

    /**
     * What came of it.
     *
     * @param r sleeps for ever, doorbells on TCP
     */
    @Arbiter
    public void look(ZI_Result r) {
      result(r);
    }
  }
}
