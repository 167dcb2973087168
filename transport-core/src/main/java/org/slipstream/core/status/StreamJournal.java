package org.slipstream.core.status;

import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Counter;
import org.slipstream.core.api.Flow;
import org.slipstream.core.api.Reason;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.core.events.FlightEvents;
import org.slipstream.core.events.Recording;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.Total;

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
  private final SessionJournal sessions;
  private final Map<Counter, LongAdder> events = new EnumMap<>(Counter.class);

  /** Guards the sums over closed streams, and the leaving of open ones. */
  private final Object closing = new Object();

  /** What streams that are closed have moved. Guarded by {@link #closing}, and so is the next. */
  private Flow closedOut = new Flow(false);

  private Flow closedIn = closedOut;

  /** Of streams that are closed; guarded by {@link #closing}. */
  private EndedStreams ended = EndedStreams.NONE;

  /** Null before the first; guarded by {@link #closing}, and so is when it was made. */
  private @Nullable ProcessCounters last;

  private long lastAt;
  private final long freshNs;

  /**
   * Opens a journal.
   *
   * @param streams the open ones, live; the caller that adds one calls {@link #opened}, and only
   *     {@link #closed} removes one
   * @param sessions of the process
   */
  public StreamJournal(Collection<Stream> streams, SessionJournal sessions) {
    this(streams, sessions, FRESH_NS);
  }

  StreamJournal(Collection<Stream> streams, SessionJournal sessions, long freshNs) {
    this.streams = streams;
    this.sessions = sessions;
    this.freshNs = freshNs;
    for (Counter counter : Counter.values()) {
      events.put(counter, new LongAdder());
    }
    Recording.isOn(); // its class is initialized here, and not by a crowd of virtual threads
  }

  private LongAdder adder(Counter counter) {
    return Objects.requireNonNull(events.get(counter));
  }

  private void count(Counter counter) {
    adder(counter).increment();
  }

  /**
   * A stream was connected or accepted.
   *
   * @param stream plain still
   */
  public void opened(Stream stream) {
    count(Counter.STREAMS_OPENED);
    if (Recording.isOn()) {
      FlightEvents.opened(stream);
    }
  }

  /** A session with another process has begun. */
  public void sessionOpened() {
    count(Counter.SESSIONS_OPENED);
  }

  /** A session with another process is over. */
  public void sessionEnded() {
    count(Counter.SESSIONS_ENDED);
  }

  /**
   * A stream got a link.
   *
   * @param stream whose directions will switch
   * @param another whether it had one before
   */
  public void joined(Stream stream, boolean another) {
    count(Counter.STREAMS_JOINED);
    if (another) {
      count(Counter.RETURNS);
    }
    if (Recording.isOn()) {
      FlightEvents.carrier(stream);
    }
  }

  /**
   * It is known why a stream is plain.
   *
   * @param stream on its TCP connection
   * @param why the reason
   */
  public void stayedPlain(Stream stream, Reason why) {
    boolean isRefusal = why.isRefusal();
    if (isRefusal) {
      count(Counter.OFFERS_REFUSED);
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
   * @param stream falling back to TCP
   */
  public void failedOver(Stream stream) {
    count(Counter.FAILOVERS);
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
      count(Counter.SLOW_WAITS);
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
    synchronized (closing) {
      StreamStatus status = stream.status(); // first: without memory nothing has happened yet
      EndedStreams withThis = ended.with(status);
      Flow out = closedOut.plus(status.out());
      Flow in = closedIn.plus(status.in());
      if (!streams.remove(stream)) {
        return false;
      }
      closedOut = out;
      closedIn = in;
      ended = withThis;
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
    synchronized (closing) {
      return ended;
    }
  }

  /**
   * What all streams have done.
   *
   * @return a snapshot, 100 ms old at most, so that a scrape of many meters walks the streams once
   */
  public ProcessCounters counters() {
    synchronized (closing) {
      long now = System.nanoTime();
      ProcessCounters known = last;
      if (known == null || now - lastAt >= freshNs) {
        lastAt = now;
        known = sum();
        last = known;
      }
      return known;
    }
  }

  private ProcessCounters sum() {
    long[] sums = new long[Total.ALL.size()];
    for (Stream stream : streams) {
      StreamStatus status = stream.status();
      for (int i = 0; i < sums.length; i++) {
        sums[i] += Total.ALL.get(i).of(status);
      }
    }
    Map<Total, Long> all = new HashMap<>();
    for (int i = 0; i < sums.length; i++) {
      Total total = Total.ALL.get(i);
      all.put(total, sums[i] + total.of(closedOut, closedIn));
    }
    Map<Counter, Long> ofSessions = sessions.sums();
    return ProcessCounters.of(total ->
        switch (total.counter().kind()) {
          case PROCESS -> adder(total.counter()).sum();
          case OPEN_SESSIONS, SESSIONS -> ofSessions.getOrDefault(total.counter(), 0L);
          default -> all.getOrDefault(total, 0L);
        });
  }
}
