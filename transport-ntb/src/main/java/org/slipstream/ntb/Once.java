package org.slipstream.ntb;

/**
 * A task that is done once, although it was handed to its thread again: a hand-over that ran out of
 * memory may have succeeded. Any thread.
 */
final class Once implements Runnable {
  private final Runnable task;

  /** Guarded by this. */
  private boolean done;

  Once(Runnable task) {
    this.task = task;
  }

  @Override
  public synchronized void run() {
    if (!done) {
      task.run();
      done = true;
    }
  }
}
