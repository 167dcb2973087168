package org.slipstream.core.status;

import java.util.Collection;
import java.util.concurrent.atomic.LongAdder;
import org.slipstream.core.events.FlightEvents;
import org.slipstream.core.events.Recording;
import org.slipstream.core.stream.Reason;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamStatus;

/**
 * What happens to the streams of a process, kept for queries: counts it, and says it to the flight
 * recorder while that records. Called at the seldom moments of a stream's life, never for each
 * message. Any thread.
 */
public final class StreamJournal {
  /** A sleep of so many nanoseconds is slow; readers of idle connections sleep longer by nature. */
  public static final long SLOW_NS = 20_000_000;

  /** How long a snapshot answers the next question too, in nanoseconds. */
  private static final long FRESH_NS = 100_000_000;

  private final Collection<Stream> streams;
  private final LongAdder opened = new LongAdder();
  private final LongAdder joined = new LongAdder();
  private final LongAdder failovers = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder slow = new LongAdder();

  /** Of streams that are closed; guarded by this, and so is the leaving of open ones. */
  private final ProcessCounters.Sum closed = new ProcessCounters.Sum();

  /** Of streams that are closed; guarded by {@link #closed}. */
  private EndedStreams ended = EndedStreams.NONE;

  private ProcessCounters last = closed.counters(0, 0, 0, 0, 0);
  private long lastAt;
  private final long freshNs;

  /**
   * Opens a journal.
   *
   * @param streams the open ones, live; the caller that adds one calls {@link #opened}, and only
   *     {@link #closed} removes one
   */
  public StreamJournal(Collection<Stream> streams) {
    this(streams, FRESH_NS);
  }

  StreamJournal(Collection<Stream> streams, long freshNs) {
    this.streams = streams;
    this.freshNs = freshNs;
    this.lastAt = System.nanoTime() - freshNs;
    Recording.isOn(); // its class is initialized here, and not by a crowd of virtual threads
  }

  /**
   * A stream was connected or accepted.
   *
   * @param stream plain still
   */
  public void opened(Stream stream) {
    opened.increment();
    if (Recording.isOn()) {
      FlightEvents.opened(stream);
    }
  }

  /**
   * A stream got a link.
   *
   * @param stream whose directions will switch
   */
  public void joined(Stream stream) {
    joined.increment();
    if (Recording.isOn()) {
      FlightEvents.carrier(stream);
    }
  }

  /**
   * It is known why a stream is plain.
   *
   * @param stream on its anchor
   * @param why the reason
   */
  public void stayedPlain(Stream stream, Reason why) {
    boolean isRefusal = why == Reason.REFUSED || why == Reason.NO_MEMORY;
    if (isRefusal) {
      refused.increment();
    }
    if (Recording.isOn()) {
      FlightEvents.carrier(stream);
      if (isRefusal) {
        FlightEvents.refused(stream, why);
      }
    }
  }

  /**
   * A link was lost, and its stream lives on.
   *
   * @param stream going home to its anchor
   */
  public void failedOver(Stream stream) {
    failovers.increment();
    if (Recording.isOn()) {
      FlightEvents.failedOver(stream);
    }
  }

  /**
   * A reader or writer has slept.
   *
   * @param stream which one
   * @param reading whether the reader slept
   * @param nanos how long it waited
   */
  public void waited(Stream stream, boolean reading, long nanos) {
    if (nanos >= SLOW_NS) {
      slow.increment();
      if (Recording.isOn()) {
        FlightEvents.slowWait(stream, reading, nanos);
      }
    }
  }

  /**
   * A stream was closed. It leaves the open ones and joins the closed ones in one step, so that no
   * sum ever goes back.
   *
   * @param stream which one
   * @return false if it was not among the open ones
   */
  public boolean closed(Stream stream) {
    synchronized (closed) {
      if (!streams.remove(stream)) {
        return false;
      }
      StreamStatus status = stream.status();
      closed.addClosed(status);
      ended = ended.with(status);
    }
    if (Recording.isOn()) {
      FlightEvents.closed(stream);
    }
    return true;
  }

  /**
   * How many of the streams that are closed have used the ring.
   *
   * @return at this moment
   */
  public EndedStreams ended() {
    synchronized (closed) {
      return ended;
    }
  }

  /**
   * What all streams have done.
   *
   * @return a snapshot, 100 ms old at most, so that a scrape of many meters walks the streams once
   */
  public ProcessCounters counters() {
    synchronized (closed) {
      long now = System.nanoTime();
      if (now - lastAt >= freshNs) {
        lastAt = now;
        last =
            closed
                .with(streams)
                .counters(opened.sum(), joined.sum(), failovers.sum(), refused.sum(), slow.sum());
      }
      return last;
    }
  }
}
