package org.slipstream.core.session;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.slipstream.transport.LazyLogger;

/**
 * What other processes see of a listener. It outlives the listener while streams that were accepted
 * there are open: many programs accept one connection and close the listener before the peer's
 * offer is under way. Any thread.
 */
public final class Announcement implements Closeable {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream");

  // All guarded by this.
  private final List<Closeable> marks = new ArrayList<>();
  private boolean complete;
  private boolean listening = true;
  private int streams;

  /** Seen by no process yet. */
  Announcement() {}

  /** One more transport shows the listener, which may be closed by now. */
  void add(Closeable mark) {
    synchronized (this) {
      if (isUsed()) {
        marks.add(mark);
        return;
      }
    }
    close(mark);
  }

  /** No more marks are added. */
  synchronized void completed() {
    complete = true;
  }

  /**
   * Whether no process sees the listener, nor will: an offer of its streams can not come.
   * Transports that are slow to open show it when its first streams are accepted already.
   */
  synchronized boolean isHidden() {
    return !isUsed() || (complete && marks.isEmpty());
  }

  private boolean isUsed() {
    return listening || streams > 0;
  }

  /**
   * A stream was accepted, which needs the marks until its {@link #release}.
   *
   * @return false if {@link #isHidden}, and then there is no release
   */
  synchronized boolean retain() {
    if (isHidden()) {
      return false;
    }
    streams++;
    return true;
  }

  /** A stream was closed that has retained this. */
  void release() {
    List<Closeable> unused;
    synchronized (this) {
      streams--;
      unused = unused();
    }
    unused.forEach(Announcement::close);
  }

  /**
   * The listener closes. Idempotent: the cleaner closes a listener that the program has lost, and
   * may do so after the program.
   */
  @Override
  public void close() {
    List<Closeable> unused;
    synchronized (this) {
      listening = false;
      unused = unused();
    }
    unused.forEach(Announcement::close);
  }

  /** Takes the marks that no stream and no listener needs: each is closed once. */
  private List<Closeable> unused() {
    if (isUsed()) {
      return List.of();
    }
    List<Closeable> all = List.copyOf(marks);
    marks.clear();
    return all;
  }

  private static void close(Closeable mark) {
    try {
      mark.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "The mark of a listener stays until the process ends", e);
    }
  }
}
