package org.slipstream.core.stream;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.MemoryShortage;

/**
 * Ends a direction, or the whole of a linked stream: what the peer finds in its window is placed
 * before the kernel says FIN or RST.
 *
 * <p>A writer in the middle of a copy is waited for, but not for long: one that is stuck in the
 * kernel is woken by the TCP connection's own close, and then the kernel's word alone has to do.
 */
final class Closer {
  private static final long GRACE_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A thread that only looks is gone in microseconds, unless it is kept off its core. */
  private static final long LOCK_GRACE_NS = TimeUnit.SECONDS.toNanos(1);

  private final StreamContext stream;
  private final SocketChannel tcp;
  private final Inbound in;
  private final Outbound out;

  Closer(StreamContext stream, Inbound in, Outbound out) {
    this.stream = stream;
    this.tcp = stream.tcp;
    this.in = in;
    this.out = out;
  }

  /**
   * Takes off the TCP connection what is there: afterwards no reader can: control bytes that stay
   * in the kernel make the TCP connection's close a reset, which drops raw bytes that are under
   * way.
   */
  void shutdownInput() throws IOException {
    if (stream.link() != null
        && !stream.state.isInputShutdown()
        && !stream.scope.isInterrupted()) { // else it would close
      try {
        in.takeDoorbells(true);
        MemoryFaults.settle();
      } catch (IOException | IllegalStateException | InternalError e) {
        // The stream's next read would say it, but there is none.
      }
    }
    stream.state.shutdownInput();
    tcp.shutdownInput();
  }

  /**
   * Says which position is the last one, if there is a link, then sends the kernel's FIN. A stream
   * that was closed meanwhile has no window of its peer any more.
   *
   * @return whether there is a link
   */
  boolean shutdownOutput() throws IOException {
    StreamState state = stream.state;
    if (stream.link() == null) {
      // Not under the write lock: a writer that is blocked in the kernel is the TCP connection's to
      // wake.
      tcp.shutdownOutput();
      state.shutdownOutput();
      return false;
    }
    state.shutdownOutput();
    out.wake();
    boolean locked = out.lock.tryLock(GRACE_NS);
    try {
      if (locked && state.isOpen()) {
        try {
          out.finish(false, false);
          MemoryFaults.settle();
        } catch (InternalError e) {
          out.wake(); // the peer took its window away: the kernel's word alone has to do
        }
      }
      tcp.shutdownOutput();
      return true;
    } finally {
      if (locked) {
        out.lock.unlock();
      }
    }
  }

  /** As {@link InboundReadiness#hasUnread}; false if the ring's memory was taken away. */
  boolean hasUnread() {
    try {
      in.takeDoorbells(tcp.isBlocking()); // a program that never read has not taken MARK either
      return MemoryFaults.settled(in.readiness.hasUnread());
    } catch (IOException | IllegalStateException | InternalError e) {
      return false; // no side reads it any more
    }
  }

  /**
   * Prepares the TCP connection's close.
   *
   * @param link of the stream
   * @param blocking the mode of the channel
   * @return what may still come if the TCP connection must linger: half-closed now, closed by
   *     {@link StreamHost#linger}; else null
   */
  @Nullable LateControlBytes finish(StreamLink link, boolean blocking) {
    for (int attempt = 1; ; attempt++) {
      try {
        return publish(link, blocking);
      } catch (OutOfMemoryError e) { // the peer waits for the end
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  private @Nullable LateControlBytes publish(StreamLink link, boolean blocking) {
    try {
      takeMark(blocking); // bytes behind a MARK that was not read yet are unread, too
      boolean abort = MemoryFaults.settled(in.readiness.hasUnread());
      // An interrupt has closed the TCP connection already; the final position is still worth
      // something.
      int linger = tcp.isOpen() ? tcp.getOption(StandardSocketOptions.SO_LINGER) : -1;
      boolean published = publishEnd(abort || linger == 0);
      MemoryFaults.settle();
      if (abort) {
        tcp.setOption(StandardSocketOptions.SO_LINGER, 0);
        return null;
      }
      in.takeDoorbells(blocking); // must not look like unread data to the kernel
      LateControlBytes late = published && linger < 0 ? lingers(link) : null;
      MemoryFaults.settle();
      return late;
    } catch (IOException | IllegalStateException | InternalError e) {
      return null; // the TCP connection's own close still ends the stream; no caller is left to
      // tell
    }
  }

  /**
   * An interrupt may have closed the TCP connection, or does so now: the end is published
   * nevertheless.
   */
  private void takeMark(boolean blocking) {
    try {
      if (tcp.isOpen()) {
        in.takeDoorbells(blocking);
      }
    } catch (IOException e) {
      // Nothing can be taken any more.
    }
  }

  /**
   * Control bytes of the peer that may still come (MARK, a doorbell) while raw bytes of ours are
   * under way; null if there are none. The kernel would take them for data that is never read,
   * answer with a reset, and drop our bytes. The same if they may be there, but the input is shut
   * down. Not if a reader or writer is blocked in the TCP connection: only its close wakes them.
   * Any other thread that is inside, a selector's or the control thread, is waited for.
   */
  private @Nullable LateControlBytes lingers(StreamLink link) throws IOException {
    boolean ended = link.isPeerClosed() || in.hasTcpEnded();
    if ((ended && out.switching.isOnTcp())
        || !in.lock.tryLock(in.isWaiting() ? 0 : LOCK_GRACE_NS)) {
      return null;
    }
    try {
      if (!out.lock.tryLock(LOCK_GRACE_NS)) {
        return null;
      }
      try {
        boolean unsent = !out.switching.completePending();
        if (!unsent && (ended || (out.isRing() && link.producer().epochs().isSeen()))) {
          return null; // the peer has all our raw bytes
        }
        MemoryFaults.settle();
        tcp.configureBlocking(false);
        if (!unsent) {
          tcp.shutdownOutput();
        }
        return in.late(link);
      } finally {
        out.lock.unlock();
      }
    } finally {
      in.lock.unlock();
    }
  }

  /** Returns false if a writer is stuck. */
  private boolean publishEnd(boolean reset) throws IOException {
    if (!out.lock.tryLock(GRACE_NS)) {
      return false;
    }
    try {
      out.finish(true, reset);
    } finally {
      out.lock.unlock();
    }
    return true;
  }
}
