package org.slipstream.core.stream;

import java.util.ArrayList;
import java.util.List;
import org.slipstream.core.wait.StreamLock;

/**
 * Gives the links of a stream back once no thread can use them any more: the last of closer,
 * reader, writer and looker does it ({@code docs/models/close.pml}). So every thread that has held
 * a lock of the stream ends with {@link #afterUse}.
 */
final class LinkRelease {
  private final StreamContext stream;
  private final StreamLock in;
  private final StreamLock out;

  /** Links that failed; some thread may still be looking at one. Guarded by itself. */
  private final List<StreamLink> former = new ArrayList<>(0);

  private volatile boolean hasFormer;

  /**
   * Makes one.
   *
   * @param stream whose links
   * @param in the read lock
   * @param out the write lock
   */
  LinkRelease(StreamContext stream, StreamLock in, StreamLock out) {
    this.stream = stream;
    this.in = in;
    this.out = out;
  }

  /** By a thread that has given up a lock of the stream. */
  void afterUse() {
    StreamLink link = stream.link();
    if (link == null) {
      return;
    }
    if (stream.state.isClosed()) {
      release(link);
    } else if (hasFormer) {
      releaseFormer();
    }
  }

  /** The stream has another link now; this one goes when no thread is inside. */
  void retire(StreamLink failed) {
    synchronized (former) {
      former.add(failed);
      hasFormer = true;
    }
  }

  /**
   * A thread that fails to get a lock tries again if it is free by then: its holder may have failed
   * to get the one that we held.
   */
  private void release(StreamLink link) {
    if (isInside()) {
      return; // we come by again on the way out
    }
    do {
      if (tryRelease(link)) {
        link.control().linkUnused(link);
        return;
      }
    } while (stream.state.isClosed() && !in.isLocked() && !out.isLocked());
  }

  private boolean isInside() {
    return in.isHeldByCurrentThread() || out.isHeldByCurrentThread();
  }

  private boolean tryRelease(StreamLink link) {
    if (!tryLockBoth()) {
      return false;
    }
    try {
      if (!stream.state.release()) {
        return false;
      }
      link.release();
      releaseFormerLinks();
      return true;
    } finally {
      unlockBoth();
    }
  }

  private void releaseFormer() {
    if (!isInside() && tryLockBoth()) {
      try {
        releaseFormerLinks();
      } finally {
        unlockBoth();
      }
    }
  }

  /** Under both locks. */
  private void releaseFormerLinks() {
    synchronized (former) {
      while (!former.isEmpty()) {
        StreamLink failed = former.getLast();
        failed.release();
        failed.control().linkUnused(failed);
        former.removeLast();
      }
      hasFormer = false;
    }
  }

  private boolean tryLockBoth() {
    if (!in.tryLock()) {
      return false;
    }
    if (out.tryLock()) {
      return true;
    }
    in.unlock();
    return false;
  }

  private void unlockBoth() {
    out.unlock();
    in.unlock();
  }
}
