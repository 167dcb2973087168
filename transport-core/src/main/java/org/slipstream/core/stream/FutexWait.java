package org.slipstream.core.stream;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.doorbell.DoorbellSource;
import org.slipstream.core.doorbell.Doorbells;
import org.slipstream.core.doorbell.Futexes;
import org.slipstream.core.doorbell.Sleeper;
import org.slipstream.core.ring.PipeAddress;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.MemoryFaults;

/**
 * How a blocked reader sleeps on the futex of its window, and not in a read of the TCP connection:
 * a platform thread, over memory that the peer shares. What comes on the TCP connection meanwhile
 * is heard by the watcher of the process ({@code docs/models/futex.pml}).
 *
 * <p>Guarded by the read lock, except where a member says otherwise.
 */
final class FutexWait {
  /**
   * A hostile peer can undo an increment of ours before the kernel compares the word; then the
   * reader looks again after so long.
   */
  private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(10);

  /** A writer that rang by TCP all the same is believed for so many sleeps, and then ever more. */
  private static final int FIRST_PAUSE = 16;

  private static final int LONGEST_PAUSE = 1 << 16;

  private final StreamContext stream;
  private final DirectionCounters counters;
  private final TcpReader tcp;

  /** Made at the first sleep. Written once, by a reader; read by any thread. */
  private volatile @Nullable Sleeper sleeper;

  /** The connection can not be watched. */
  private boolean impossible;

  private @Nullable Futexes futexes;

  /** So many events of the TCP connection had come before it was found empty. */
  private int seen;

  /** The word as it was before the arming, and where it is. */
  private int value;

  private @Nullable MemorySegment window;

  /** So many of the next sleeps go by TCP. */
  private int pause;

  private int nextPause = FIRST_PAUSE;

  FutexWait(StreamContext stream, DirectionCounters counters, TcpReader tcp) {
    this.stream = stream;
    this.counters = counters;
    this.tcp = tcp;
  }

  /**
   * Whether a read of the TCP connection would return at once with what came there while a reader
   * slept on the futex. It has to be made before the next sleep.
   */
  boolean hasHeardTcp() throws IOException {
    Sleeper mine = sleeper;
    Futexes process = futexes;
    if (mine == null || process == null) {
      return false;
    }
    int events = mine.events(); // before the look
    if (events == seen) {
      return false;
    }
    if (process.isReadable(WaitingConnection.kernelOf(stream.tcp))) {
      return true;
    }
    seen = events;
    return false;
  }

  /** The peer has rung on the TCP connection. If that goes on, its way is the shorter one. */
  void rungByTcp(boolean doorbell) {
    if (doorbell && window != null) {
      pause = nextPause;
      nextPause = Math.min(2 * nextPause, LONGEST_PAUSE);
    }
  }

  /**
   * Before the arming of a reader that is about to sleep: which way its doorbell should take. If
   * that is the futex, either {@link #sleep} or {@link #stayAwake} follows.
   *
   * @return null for the TCP connection
   */
  @Nullable PipeAddress prepare(StreamLink link) {
    window = null;
    if (impossible || !link.session().mayUsePipes() || Thread.currentThread().isVirtual()) {
      return null;
    }
    if (pause > 0) {
      pause--;
      return null;
    }
    MemorySegment words = link.link().receiveControl();
    if (ControlLayout.getIntAcquire(words, ControlLayout.DOORBELL_ABLE) == 0) {
      return null;
    }
    Sleeper mine = sleeper;
    if (mine == null) {
      mine = open();
      if (mine == null) {
        return null;
      }
    }
    if (!mine.isUsable()) {
      impossible = true;
      return null;
    }
    window = words;
    value = mine.begin(words);
    return PipeAddress.FUTEX;
  }

  private @Nullable Sleeper open() {
    Futexes process = futexes;
    if (process == null) {
      DoorbellSource source = stream.doorbells;
      Doorbells doorbells = source.doorbells();
      if (doorbells == null) {
        impossible = true;
        return null;
      }
      process = doorbells.futexes();
      futexes = process;
    }
    if (!process.areReady()) {
      return null; // not yet, perhaps
    }
    Sleeper made = process.watch(WaitingConnection.kernelOf(stream.tcp));
    sleeper = made;
    impossible = made == null;
    if (made != null && !stream.state.isOpen()) {
      made.close(); // the closer has not seen it
    }
    return made;
  }

  /** The reader does not sleep after all. */
  void stayAwake() {
    Sleeper mine = sleeper;
    if (mine != null) {
      mine.end();
    }
  }

  /**
   * Sleeps until the peer rings, something comes on the TCP connection, the stream is closed or
   * shut down, the thread is interrupted, or for no reason. The reader is armed.
   *
   * @param deadline as of the read; 0 = none
   */
  void sleep(long deadline) throws IOException {
    Sleeper mine = sleeper;
    MemorySegment words = window;
    if (mine == null || words == null) {
      throw new IllegalStateException("Not prepared");
    }
    boolean rung = false;
    tcp.waits(true);
    try {
      long nanos = LONGEST_NS;
      if (deadline != 0) {
        nanos = Math.min(nanos, deadline - System.nanoTime());
        if (nanos <= 0) {
          throw new SocketTimeoutException("Read timed out");
        }
      }
      InterruptScope scope = stream.scope;
      scope.begin(); // closes the stream if the thread is interrupted already
      try {
        if (mayGoOn(mine)) {
          MemoryFaults.settle();
          mine.sleep(words, value, nanos);
          rung = mayGoOn(mine);
        }
      } finally {
        scope.end(rung);
      }
    } finally {
      mine.end();
      tcp.waits(false); // behind the scope: an interrupting thread closes, and must not wait for us
    }
    StreamLink link = stream.link();
    if (rung && link != null && link.consumer().peekAvailable()) {
      counters.wakeUps++;
      counters.lastDoorbell = LastDoorbell.FUTEX;
      nextPause = FIRST_PAUSE;
    }
  }

  /** Whether nothing has happened but what the ring tells. */
  private boolean mayGoOn(Sleeper mine) {
    return mine.events() == seen
        && mine.isUsable()
        && stream.state.isOpen()
        && !stream.state.isInputShutdown()
        && !stream.scope.isInterrupted();
  }

  /** A reader that sleeps should look at the state of the stream again. Any thread. */
  void wake() {
    Sleeper mine = sleeper;
    if (mine != null) {
      mine.wake();
    }
  }

  /** The stream is closed. Any thread. */
  void close() {
    Sleeper mine = sleeper;
    if (mine != null) {
      mine.close();
    }
  }
}
