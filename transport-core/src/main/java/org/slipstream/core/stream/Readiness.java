package org.slipstream.core.stream;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.PipeAddress;
import org.slipstream.transport.MemoryFaults;

/**
 * A stream as an event loop sees it: looks, arms, and never waits.
 *
 * <p>The loop that owns it calls {@link #readable} and {@link #writable} as often as it likes;
 * before it sleeps it must call {@link #armForRead} (and {@link #armForSpace}) and sleep only if
 * they allow it. A close that waits for the peer or for a lock changes nothing of that until the
 * stream is closed: a loop that went round and round meanwhile would take the closer's time.
 */
public final class Readiness {
  private final StreamContext stream;
  private final Inbound in;
  private final Outbound out;
  private final LinkRelease release;

  Readiness(StreamContext stream, Inbound in, Outbound out, LinkRelease release) {
    this.release = release;
    this.stream = stream;
    this.in = in;
    this.out = out;
  }

  /**
   * Whether the stream has, or had, a link; if not, the TCP connection alone tells everything.
   *
   * @return false for a plain stream
   */
  public boolean isLinked() {
    return stream.link() != null;
  }

  /**
   * Whether a read would return something that did not come from the kernel just now.
   *
   * @return true if bytes, the end or an error wait outside the TCP connection
   */
  public boolean readable() {
    try {
      return MemoryFaults.settled(in.readiness.readable());
    } catch (IllegalStateException | InternalError e) {
      return true; // the memory is gone: the read itself will say it properly
    }
  }

  /** Counts a look at the ring that found the stream ready, without a word of the kernel. */
  public void foundByLooking() {
    in.counters.looks++;
  }

  /**
   * Whether a write into the ring would take something; false while the direction is on TCP.
   *
   * @return true if there is space in the ring
   */
  public boolean writable() {
    try {
      return out.isRing() && MemoryFaults.settled(out.peekWritable());
    } catch (IllegalStateException | InternalError e) {
      return true; // the write itself will say it properly
    }
  }

  /**
   * Whether the receiving direction is on the ring.
   *
   * @return true if the ring has to be looked at
   */
  public boolean isInboundRing() {
    return in.isRing();
  }

  /**
   * Whether the sending direction is on the ring.
   *
   * @return false if the TCP connection's own writability counts
   */
  public boolean isOutboundRing() {
    return out.isRing();
  }

  /**
   * Whether the kernel has said its last word, or no caller is interested in it.
   *
   * @return true if listening to the TCP connection for reading is pointless
   */
  public boolean isTcpSilent() {
    return in.hasTcpEnded() || stream.state.isInputShutdown();
  }

  /** The peer has said its end, on the TCP connection or in the ring; for status output, racy. */
  boolean hasPeerEnded() {
    StreamLink link = stream.link();
    try {
      return isTcpSilent()
          || (in.isRing() && link != null && MemoryFaults.settled(link.consumer().peekFin()));
    } catch (IllegalStateException | InternalError e) {
      return false; // the memory is gone: the next read reports it
    }
  }

  /**
   * The TCP connection is readable: takes doorbells and MARK off it.
   *
   * @return true if a read would return something now
   */
  public boolean absorb() {
    if (!in.lock.tryLock()) {
      return readable(); // another thread is reading, and will absorb it
    }
    try {
      return !stream.state.hasNotClosed() || MemoryFaults.settled(in.readiness.absorb());
    } catch (IOException | IllegalStateException | InternalError e) {
      return true; // latched: the read itself will throw it
    } finally {
      in.lock.unlock();
      release.afterUse();
    }
  }

  /**
   * Whether the peer might ring in a pipe.
   *
   * @return false if the doorbell can only be a byte on the TCP connection
   */
  public boolean mayUsePipe() {
    StreamLink link = stream.link();
    return link != null && in.isRing() && link.session().mayUsePipes();
  }

  /**
   * As {@link #armForRead(PipeAddress, int)}, for a loop without a pipe.
   *
   * @return true if the loop may sleep until the TCP connection is readable
   */
  public boolean armForRead() {
    return armForRead(null, 0);
  }

  /**
   * Arms the reading side and looks again.
   *
   * @param pipe in which the loop wants its doorbell; null = on the TCP connection
   * @param heard the number that the last doorbell in that pipe named; 0 = none
   * @return true if the loop may sleep until the TCP connection is readable, or the pipe
   */
  public boolean armForRead(@Nullable PipeAddress pipe, int heard) {
    if (!in.lock.tryLock()) {
      return false;
    }
    try {
      return stream.state.hasNotClosed() && MemoryFaults.settled(in.readiness.arm(pipe, heard));
    } catch (IOException | IllegalStateException | InternalError e) {
      return false;
    } finally {
      in.lock.unlock();
      release.afterUse();
    }
  }

  /**
   * Asks the peer for a notice of credit and looks again.
   *
   * @return 0 if there is space or the direction is on TCP now; otherwise how long the loop may
   *     sleep at most, in nanoseconds
   */
  public long armForSpace() {
    if (!out.lock.tryLock()) {
      return 1;
    }
    try {
      return stream.state.hasNotClosed() ? MemoryFaults.settled(out.armForSpace()) : 0;
    } catch (IOException | IllegalStateException | InternalError e) {
      return 0;
    } finally {
      out.lock.unlock();
      release.afterUse();
    }
  }
}
