package org.slipstream.core.stream;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryFaults;

/**
 * Ends a direction, or the whole of a linked stream: what the peer finds in its window is placed
 * before the kernel says FIN or RST.
 *
 * <p>A writer in the middle of a copy is waited for, but not for long: one that is stuck in the
 * kernel is woken by the anchor's own close, and then the kernel's word alone has to do.
 */
final class LinkFinisher {
  private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Who only looks is gone in microseconds, unless it is kept off its core. */
  private static final long LOOK_PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);

  private final SocketChannel anchor;
  private final Inbound in;
  private final Outbound out;

  /** Links that failed; some thread may still be looking at one. Guarded by itself. */
  private final List<StreamLink> former = new ArrayList<>(0);

  private volatile boolean hasFormer;

  LinkFinisher(SocketChannel anchor, Inbound in, Outbound out) {
    this.anchor = anchor;
    this.in = in;
    this.out = out;
  }

  /**
   * Takes off the anchor what is there, and then nobody can any more: octets that stay in the
   * kernel make the anchor's close a reset, which drops raw bytes that are under way.
   */
  void shutdownInput(StreamState state, @Nullable StreamLink link, InterruptScope scope)
      throws IOException {
    if (link != null && !state.isInputShutdown() && !scope.isInterrupted()) { // else it would close
      try {
        in.takeBells(true);
        MemoryFaults.settle();
      } catch (IOException | IllegalStateException | InternalError e) {
        // The stream's next read would say it, but there is none.
      }
    }
    state.shutdownInput();
    anchor.shutdownInput();
  }

  /**
   * Says which position is the last one, if there is a link, then sends the kernel's FIN.
   *
   * @param state of the stream: one that was closed meanwhile has no window of its peer any more
   */
  boolean shutdownOutput(StreamState state, @Nullable StreamLink link) throws IOException {
    if (link == null) {
      // Not under the write lock: a writer that is blocked in the kernel is the anchor's to wake.
      anchor.shutdownOutput();
      state.shutdownOutput();
      return false;
    }
    state.shutdownOutput();
    out.wake();
    boolean locked = out.lock.tryLock(PATIENCE_NS);
    try {
      if (locked && state.isOpen()) {
        try {
          out.finish(false, false);
          MemoryFaults.settle();
        } catch (InternalError e) {
          out.wake(); // the peer took its window away: the kernel's word alone has to do
        }
      }
      anchor.shutdownOutput();
      return true;
    } finally {
      if (locked) {
        out.lock.unlock();
      }
    }
  }

  /** As {@link Inbound#hasUnread}; false if the ring's memory was taken away. */
  boolean hasUnread() {
    try {
      in.takeBells(anchor.isBlocking()); // a program that never read has not taken MARK either
      return MemoryFaults.settled(in.hasUnread());
    } catch (IOException | IllegalStateException | InternalError e) {
      return false; // nobody can read it
    }
  }

  /**
   * Prepares the anchor's close.
   *
   * @param link of the stream
   * @param blocking the mode of the channel
   * @return what may still come if the anchor must linger: half-closed now, closed by {@link
   *     StreamHost#linger}; else null
   */
  @Nullable LateControlBytes finish(StreamLink link, boolean blocking) {
    try {
      takeMark(blocking); // bytes behind a MARK that was not read yet are unread, too
      boolean abort = MemoryFaults.settled(in.hasUnread());
      // An interrupt has closed the anchor already; the final position is still worth something.
      int linger = anchor.isOpen() ? anchor.getOption(StandardSocketOptions.SO_LINGER) : -1;
      boolean published = publishEnd(abort || linger == 0);
      MemoryFaults.settle();
      if (abort) {
        anchor.setOption(StandardSocketOptions.SO_LINGER, 0);
        return null;
      }
      in.takeBells(blocking); // must not look like unread data to the kernel
      LateControlBytes late = published && linger < 0 ? lingers(link) : null;
      MemoryFaults.settle();
      return late;
    } catch (IOException | IllegalStateException | InternalError e) {
      return null; // the anchor's own close still ends the stream; there is nobody to tell
    }
  }

  /** An interrupt may have closed the anchor, or does so now: the end is published nevertheless. */
  private void takeMark(boolean blocking) {
    try {
      if (anchor.isOpen()) {
        in.takeBells(blocking);
      }
    } catch (IOException e) {
      // Nothing can be taken any more.
    }
  }

  /**
   * Control octets of the peer that may still come (MARK, a bell) while raw bytes of ours are under
   * way; null if there are none. The kernel would take the octets for data that nobody reads,
   * answer with a reset, and drop our bytes. The same if they may be there, but the input is shut
   * down. Not if a reader or writer is blocked in the anchor: only its close wakes them. Any other
   * thread that is inside, a selector's or the control thread, is waited for.
   */
  private @Nullable LateControlBytes lingers(StreamLink link) throws IOException {
    boolean ended = link.isPeerClosed() || in.hasAnchorEnded();
    if ((ended && out.isHome()) || !in.lock.tryLock(in.isWaiting() ? 0 : LOOK_PATIENCE_NS)) {
      return null;
    }
    try {
      if (!out.lock.tryLock(LOOK_PATIENCE_NS)) {
        return null;
      }
      try {
        boolean unsent = !out.completePending();
        if (!unsent && (ended || (out.isRing() && link.producer().isTurnSeen()))) {
          return null; // the peer has all our raw bytes
        }
        MemoryFaults.settle();
        anchor.configureBlocking(false);
        if (!unsent) {
          anchor.shutdownOutput();
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
    if (!out.lock.tryLock(PATIENCE_NS)) {
      return false;
    }
    try {
      out.finish(true, reset);
    } finally {
      out.lock.unlock();
    }
    return true;
  }

  /**
   * The last of closer, reader, writer and looker gives the link back. Whoever fails to get a lock
   * tries again if it is free by then: its holder may have failed to get the one that we held
   * ({@code docs/models/close.pml}).
   */
  void release(StreamState state, StreamLink link) {
    if (in.lock.isHeldByCurrentThread() || out.lock.isHeldByCurrentThread()) {
      return; // still inside: we come by again on the way out
    }
    do {
      if (tryRelease(state, link)) {
        link.control().linkUnused(link);
        return;
      }
    } while (state.isClosed() && !in.lock.isLocked() && !out.lock.isLocked());
  }

  /** The stream has another link now; this one goes when no thread is inside. */
  void retire(StreamLink failed) {
    synchronized (former) {
      former.add(failed);
      hasFormer = true;
    }
  }

  boolean hasFormer() {
    return hasFormer;
  }

  /** Gives failed links back if no thread is inside. */
  void releaseFormer() {
    if (in.lock.isHeldByCurrentThread() || out.lock.isHeldByCurrentThread()) {
      return;
    }
    if (in.lock.tryLock()) {
      try {
        if (out.lock.tryLock()) {
          try {
            releaseFormerLinks();
          } finally {
            out.lock.unlock();
          }
        }
      } finally {
        in.lock.unlock();
      }
    }
  }

  /** Under both locks. */
  private void releaseFormerLinks() {
    synchronized (former) {
      for (StreamLink failed : former) {
        failed.release();
        failed.control().linkUnused(failed);
      }
      former.clear();
      hasFormer = false;
    }
  }

  private boolean tryRelease(StreamState state, StreamLink link) {
    if (!in.lock.tryLock()) {
      return false;
    }
    try {
      if (!out.lock.tryLock()) {
        return false;
      }
      try {
        if (!state.release()) {
          return false;
        }
        link.release();
        releaseFormerLinks();
        return true;
      } finally {
        out.lock.unlock();
      }
    } finally {
      in.lock.unlock();
    }
  }
}
