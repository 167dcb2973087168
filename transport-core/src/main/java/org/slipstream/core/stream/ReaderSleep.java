package org.slipstream.core.stream;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.doorbell.Doorbells;
import org.slipstream.core.doorbell.FutexWord;
import org.slipstream.core.doorbell.Sleeper;
import org.slipstream.core.doorbell.VirtualDoorbell;
import org.slipstream.core.ring.PipeAddress;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.OutOfLine;

/**
 * How a blocked reader sleeps elsewhere than in a read of the TCP connection, over memory that the
 * peer shares: a platform thread on the futex of its window ({@code docs/models/futex.pml}), a
 * virtual thread parked ({@code docs/models/park.pml}). What comes on the TCP connection meanwhile
 * is heard by the watcher of the process.
 *
 * <p>Guarded by the read lock, except where a member says otherwise.
 */
final class ReaderSleep {
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

  /** Those of the process. Written once, by a reader; read by any thread. */
  private volatile @Nullable Doorbells doorbells;

  /** So many events of the TCP connection had come before it was found empty. */
  private int seen;

  /** The word as it was before the arming, and where it is; null for a virtual thread. */
  private int value;

  private @Nullable FutexWord window;

  /** Where peers ring for a virtual thread. Written once, by a reader; read by any thread. */
  private volatile @Nullable PipeAddress pipe;

  /** The last arming named one of the two ways. */
  private boolean named;

  /** So many of the next sleeps go by TCP. */
  private int pause;

  private int nextPause = FIRST_PAUSE;

  ReaderSleep(StreamContext stream, DirectionCounters counters, TcpReader tcp) {
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
    Doorbells process = doorbells;
    if (mine == null || process == null) {
      return false;
    }
    int events = mine.events(); // before the look
    if (events == seen) {
      return false;
    }
    if (process.futexes().isReadable(WaitingConnection.kernelOf(stream.tcp))) {
      return true;
    }
    seen = events;
    return false;
  }

  /** The peer has rung on the TCP connection. If that goes on, its way is the shorter one. */
  void rungByTcp(boolean doorbell) {
    if (doorbell && named) {
      pause = nextPause;
      nextPause = Math.min(2 * nextPause, LONGEST_PAUSE);
    }
  }

  /**
   * Before the arming of a reader that is about to sleep: which way its doorbell should take. If
   * that is not the TCP connection, either {@link #sleep} or {@link #stayAwake} follows.
   *
   * @return null for the TCP connection
   */
  @OutOfLine
  @Nullable PipeAddress prepare(StreamLink link) {
    window = null;
    named = false;
    if (impossible || !link.session().mayUsePipes()) {
      return null;
    }
    if (pause > 0) {
      pause--;
      return null;
    }
    PipeAddress way =
        Thread.currentThread().isVirtual() ? prepareParking(link) : prepareFutex(link);
    named = way != null;
    return way;
  }

  private @Nullable PipeAddress prepareFutex(StreamLink link) {
    if (!link.consumer().mayBeRungInWindow()) {
      return null;
    }
    Sleeper mine = openIfUsable();
    if (mine == null) {
      return null;
    }
    FutexWord word = link.futexWord();
    window = word;
    value = mine.begin(word);
    return PipeAddress.FUTEX;
  }

  private @Nullable PipeAddress prepareParking(StreamLink link) {
    Sleeper mine = openIfUsable();
    if (mine == null || !canBeUnparked()) {
      return null;
    }
    PipeAddress way = pipe;
    if (way == null) {
      way = name(mine);
      if (way == null) {
        return null;
      }
    }
    mine.beginParked();
    int arming = mine.takeRung();
    if (arming != 0) {
      link.consumer().doorbellHeard(arming); // if it was late, only now may there be another one
    }
    return way;
  }

  private @Nullable PipeAddress name(Sleeper mine) {
    VirtualDoorbell all = Objects.requireNonNull(doorbells).virtualThreads();
    PipeAddress way = all.name(mine);
    pipe = way;
    if (way != null && !stream.state.isOpen()) {
      all.forget(way); // the closer has not seen it
    }
    return way;
  }

  private @Nullable Sleeper openIfUsable() {
    Sleeper mine = sleeper;
    if (mine == null) {
      mine = open();
    }
    if (mine != null && !mine.isUsable()) {
      impossible = true;
      return null;
    }
    return mine;
  }

  private @Nullable Sleeper open() {
    Doorbells process = doorbells;
    if (process == null) {
      process = stream.doorbells.doorbells();
      if (process == null) {
        impossible = true;
        return null;
      }
      doorbells = process;
    }
    if (!process.futexes().areReady()) {
      return null; // not yet, perhaps
    }
    Sleeper made = process.futexes().watch(WaitingConnection.kernelOf(stream.tcp));
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
  @OutOfLine
  void sleep(long deadline) throws IOException {
    Sleeper mine = sleeper;
    if (mine == null || !named) {
      throw new IllegalStateException("Not prepared");
    }
    boolean rung = false;
    tcp.waits(true);
    try {
      long left = deadline == 0 ? 0 : deadline - System.nanoTime();
      if (left < 0 || (deadline != 0 && left == 0)) {
        throw new SocketTimeoutException("Read timed out");
      }
      InterruptScope scope = stream.scope;
      scope.begin(); // closes the stream if the thread is interrupted already
      try {
        if (mayGoOn(mine)) {
          MemoryFaults.settle();
          sleep(mine, left);
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
      counters.lastDoorbell = window == null ? LastDoorbell.PIPE : LastDoorbell.FUTEX;
      nextPause = FIRST_PAUSE;
    }
  }

  /** For so long at most; 0 = for ever. */
  private void sleep(Sleeper mine, long nanos) {
    FutexWord word = window;
    if (word != null) {
      mine.sleep(word, value, nanos == 0 ? LONGEST_NS : Math.min(nanos, LONGEST_NS));
    } else if (!mine.hasRung()) {
      mine.park(nanos);
    }
  }

  /** Whether nothing has happened but what the ring tells. */
  private boolean mayGoOn(Sleeper mine) {
    return mine.events() == seen
        && mine.isUsable()
        && (window != null || canBeUnparked())
        && stream.state.isOpen()
        && !stream.state.isInputShutdown()
        && !stream.scope.isInterrupted();
  }

  private boolean canBeUnparked() {
    Doorbells process = doorbells;
    return process != null && process.virtualThreads().isUsable();
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
    PipeAddress way = pipe;
    Doorbells process = doorbells;
    if (way != null && process != null) {
      process.virtualThreads().forget(way);
    }
  }
}
