package org.slipstream.ntb;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.MemoryShortage;

/**
 * The owner's end of a lane: carries out the peer's requests in their order and answers each. A
 * write is answered with what follows it, if that has arrived already.
 *
 * <p>The service thread's, but for {@link #hasRequest} and {@link #end}.
 */
final class OwnerLane {
  /** Requests that one lane has carried out before the next lane has its turn. */
  private static final int TURN = 64;

  private static final String GONE = "the memory of the session is gone";
  private static final String TRUNCATED = "the memory of the session was truncated";
  private static final String NO_MEMORY = "there was no memory for a request on memory";

  /** What a load across a dead link returns. */
  private static final long ALL_ONES = -1;

  /** A request of which a part has arrived is all there within so long, or stores were lost. */
  static final long MAX_PENDING_NS = 2_000_000_000;

  private final GrantTable grants;
  private final RecordReader requests;
  private final Imported peer;
  private final RecordWriter answers;
  private final LongSupplier clock;
  private final Consumer<String> onFailure;
  private final Runnable onEnd;

  /** How much of our answers the peer has taken, as its last request said. */
  private long credit;

  /** The last request was a write, and has had no answer. */
  private boolean owes;

  private boolean unflushed;
  private long armings;
  private boolean armed;
  private long pendingSince;
  private volatile boolean ended;

  /**
   * A lane with nothing on it.
   *
   * @param own the segment with the peer's requests
   * @param peer the peer's segment, for the answers
   * @param clock nanoseconds
   * @param onFailure told why the session has to end; any thread
   * @param onEnd told by the service thread that it does not touch the segments any more
   */
  OwnerLane(
      GrantTable grants,
      MemorySegment own,
      Imported peer,
      LongSupplier clock,
      Consumer<String> onFailure,
      Runnable onEnd) {
    this.grants = grants;
    this.requests = new RecordReader(own);
    this.peer = peer;
    this.answers = new RecordWriter(peer);
    this.clock = clock;
    this.onFailure = onFailure;
    this.onEnd = onEnd;
  }

  /** Whether there may be something to do. Any thread. */
  boolean hasRequest() {
    try {
      return !ended && MemoryFaults.settled(requests.hasMore());
    } catch (IllegalStateException | InternalError e) {
      return true; // the service thread will say so
    }
  }

  /** The session is over. Any thread. */
  void end() {
    ended = true;
  }

  boolean isEnded() {
    return ended;
  }

  /** The service thread has let go of it. */
  void released() {
    onEnd.run();
  }

  /**
   * Carries out what has arrived.
   *
   * @return whether anything had
   */
  boolean serve() {
    if (ended) {
      return false;
    }
    try {
      int n = 0;
      while (n < TURN && requests.take()) {
        carryOut(requests.record());
        n++;
      }
      answerWrites();
      flush();
      look();
      armed &= n == 0;
      return n > 0;
    } catch (IOException e) {
      fail(String.valueOf(e.getMessage()));
    } catch (IllegalStateException e) {
      fail(GONE);
    } catch (InternalError e) {
      fail(TRUNCATED);
    } catch (OutOfMemoryError e) { // it may be carried out, and must not be twice
      fail(NO_MEMORY);
    } catch (RuntimeException e) { // a mistake of ours: other lanes go on
      fail("a request on memory failed: " + e);
    }
    return false;
  }

  /** The peer waits to hear of it. */
  private void fail(String why) {
    ended = true;
    for (int attempt = 1; ; attempt++) {
      try {
        onFailure.accept(why);
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  /** Bytes that were lost do not come, and then neither does what is behind them. */
  private void look() throws IOException {
    if (!requests.isPending()) {
      pendingSince = 0;
      return;
    }
    long now = clock.getAsLong();
    if (pendingSince == 0) {
      pendingSince = now | 1;
    } else if (now - pendingSince > MAX_PENDING_NS) {
      throw new IOException("a request on memory did not arrive whole");
    }
  }

  private void carryOut(MemorySegment request) throws IOException {
    GrantedMemory memory = grants.find(LaneLayout.getLong(request, LaneLayout.SUBJECT));
    credit = LaneLayout.getLong(request, LaneLayout.CREDIT);
    owes = true;
    MemorySegment answer = answers.begin();
    byte outcome = LaneLayout.REVOKED;
    if (memory != null) {
      try {
        outcome = carryOut(memory, request, answer) ? LaneLayout.DONE : LaneLayout.REVOKED;
      } catch (InternalError e) {
        outcome = LaneLayout.LOST; // the region was truncated, by a process of the same user
      }
    }
    if (outcome != LaneLayout.DONE || request.get(JAVA_BYTE, LaneLayout.KIND) != LaneLayout.WRITE) {
      send(answer, outcome);
    }
  }

  /** Returns false if the grant was revoked. */
  private static boolean carryOut(GrantedMemory memory, MemorySegment request, MemorySegment answer)
      throws IOException {
    long at = LaneLayout.getLong(request, LaneLayout.AT);
    long operand = LaneLayout.getLong(request, LaneLayout.INLINE);
    return switch (request.get(JAVA_BYTE, LaneLayout.KIND)) {
      case LaneLayout.READ -> {
        if (operand < 0 || operand > LaneLayout.MAX_PIECE) {
          throw new IOException("The peer reads " + operand + " bytes at once");
        }
        int bytes = (int) operand;
        LaneLayout.putInt(answer, LaneLayout.LENGTH, bytes);
        yield memory.read(at, answer, LaneLayout.start(bytes), bytes);
      }
      case LaneLayout.WRITE -> {
        int bytes = LaneLayout.getInt(request, LaneLayout.LENGTH);
        yield memory.write(at, request, LaneLayout.start(bytes), bytes);
      }
      case LaneLayout.FETCH_ADD -> {
        LaneLayout.putInt(answer, LaneLayout.LENGTH, Long.BYTES);
        yield memory.fetchAdd(at, operand, answer, LaneLayout.INLINE);
      }
      case LaneLayout.COMPARE_AND_SET -> {
        LaneLayout.putInt(answer, LaneLayout.LENGTH, Long.BYTES);
        long value = LaneLayout.getLong(request, LaneLayout.INLINE + Long.BYTES);
        yield memory.compareAndSet(at, operand, value, answer, LaneLayout.INLINE);
      }
      default -> throw new IOException("A request on memory is of no kind");
    };
  }

  /** The last of what was carried out, if it was a write and has had no answer. */
  private void answerWrites() throws IOException {
    if (owes) {
      send(answers.begin(), LaneLayout.DONE);
    }
  }

  private void send(MemorySegment answer, byte outcome) throws IOException {
    if (outcome != LaneLayout.DONE) {
      LaneLayout.putInt(answer, LaneLayout.LENGTH, 0);
    }
    int size = LaneLayout.padded(LaneLayout.getInt(answer, LaneLayout.LENGTH));
    long unread = answers.position() - credit;
    if (unread < 0 || unread + size > LaneLayout.RING_BYTES) {
      throw new IOException("The peer asks for more than it has room for");
    }
    answer.set(JAVA_BYTE, LaneLayout.KIND, outcome);
    LaneLayout.putLong(answer, LaneLayout.CREDIT, requests.position());
    LaneLayout.putLong(answer, LaneLayout.SUBJECT, Integer.toUnsignedLong(requests.number()));
    answers.store();
    owes = false;
    unflushed = true;
  }

  private void flush() {
    if (unflushed) {
      unflushed = false;
      answers.flush();
    }
  }

  // -- sleeping --------------------------------------------------------------------------------

  /** Whether a part of a request has arrived, and not all of it. */
  boolean isPending() {
    return requests.isPending() && !ended;
  }

  /**
   * Asks the peer to wake us, if we have not done so since its last request. The sleeper reads back
   * across the bridge: the answer comes behind the stores that the peer made before it could see
   * our word, so the look that follows sees them.
   *
   * @return false if there is something to do now
   */
  boolean arm() {
    if (ended) {
      return false; // to be let go
    }
    try {
      if (!armed) {
        LaneLayout.putRelease(peer.memory(), LaneLayout.ARMED, ++armings);
        peer.flush();
        long word = LaneLayout.getAcquire(peer.memory(), LaneLayout.ARMED);
        VarHandle.fullFence();
        if (word == ALL_ONES) {
          throw new IOException("the bridge is dead");
        }
        armed = true;
      }
      boolean more = requests.hasMore();
      MemoryFaults.settle();
      return !more;
    } catch (IOException e) {
      fail(String.valueOf(e.getMessage()));
    } catch (IllegalStateException e) {
      fail(GONE);
    } catch (InternalError e) {
      fail(TRUNCATED);
    }
    return false;
  }
}
