package org.slipstream.core.session;

import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slipstream.transport.Reactor;

/** A reactor that runs its tasks when the test says so. */
final class ManualReactor implements Reactor {
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  void run() {
    Runnable task;
    while ((task = tasks.poll()) != null) {
      task.run();
    }
  }

  /** Those that are there by now, and not what they leave behind: one tick. */
  void runScheduled() {
    for (int n = tasks.size(); n > 0; n--) {
      tasks.remove().run();
    }
  }

  boolean isIdle() {
    return tasks.isEmpty();
  }

  @Override
  public SelectionKey register(SelectableChannel channel, int ops, Handler handler) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  @Override
  public void schedule(long delayNanos, Runnable task) {
    tasks.add(task);
  }

  @Override
  public boolean inReactor() {
    return true;
  }
}
