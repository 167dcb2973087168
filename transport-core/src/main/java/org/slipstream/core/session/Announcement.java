package org.slipstream.core.session;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.slipstream.transport.LazyLogger;

/**
 * What other processes see of a listener. It outlives the listener while streams that were accepted
 * there are open: many programs accept one connection and close the listener before the peer's
 * offer is under way.
 */
public final class Announcement implements Closeable {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream");

  /** Guarded by itself. */
  private final List<Closeable> marks = new ArrayList<>();

  /** Every transport has heard of the listener. Written once, by the thread that tells them. */
  private volatile boolean complete;

  /** The listener and its streams. */
  private final AtomicInteger users = new AtomicInteger(1);

  /** Seen by no process yet. */
  Announcement() {}

  /** One more transport shows the listener, which may be closed by now. */
  void add(Closeable mark) {
    synchronized (marks) {
      if (users.get() > 0) {
        marks.add(mark);
        return;
      }
    }
    close(mark);
  }

  /** No more marks are added. */
  void completed() {
    complete = true;
  }

  /**
   * Whether no process sees the listener, nor will: an offer of its streams can not come.
   * Transports that are slow to open show it when its first streams are accepted already.
   */
  boolean isHidden() {
    boolean all = complete; // before the marks: they are not looked at again
    synchronized (marks) {
      return all && marks.isEmpty();
    }
  }

  void retain() {
    users.incrementAndGet();
  }

  /** The listener closes, or one of its streams. Each calls it once. */
  @Override
  public void close() {
    if (users.decrementAndGet() > 0) {
      return;
    }
    List<Closeable> all;
    synchronized (marks) {
      all = List.copyOf(marks);
    }
    all.forEach(Announcement::close);
  }

  private static void close(Closeable mark) {
    try {
      mark.close();
    } catch (IOException e) {
      LOG.get().log(Level.DEBUG, "The mark of a listener stays until the process ends", e);
    }
  }
}
