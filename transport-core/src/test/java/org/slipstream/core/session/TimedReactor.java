package org.slipstream.core.session;

import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.slipstream.transport.Reactor;

/** A reactor whose time passes when the test says so. */
final class TimedReactor implements Reactor {
  private static final long MS = 1_000_000;

  private record Task(long due, Runnable work) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::due));
  private long now;

  /** For so many tasks there is no memory. */
  int refusals;

  void passes(long millis) {
    long end = now + millis * MS;
    while (!tasks.isEmpty() && tasks.peek().due <= end) {
      Task next = tasks.poll();
      now = next.due;
      try {
        next.work.run();
      } catch (OutOfMemoryError e) {
        tasks.add(next); // it runs again, as on the control thread
        throw e;
      }
    }
    now = end;
  }

  long millis() {
    return now / MS;
  }

  @Override
  public SelectionKey register(SelectableChannel channel, int ops, Handler handler) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void execute(Runnable task) {
    schedule(0, task);
  }

  @Override
  public void schedule(long delayNanos, Runnable task) {
    if (refusals > 0) {
      refusals--;
      throw new OutOfMemoryError("injected");
    }
    tasks.add(new Task(now + delayNanos, task));
  }

  @Override
  public boolean inReactor() {
    return true;
  }
}
