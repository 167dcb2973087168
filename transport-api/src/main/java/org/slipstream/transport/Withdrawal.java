package org.slipstream.transport;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Takes back what others see, when it is closed for the first time. What is announced is counted,
 * and a second close would take back the announcement of another listener at the same address. Any
 * thread.
 */
public final class Withdrawal implements Closeable {
  private final Closeable action;
  private final AtomicBoolean isClosed = new AtomicBoolean();

  /**
   * Nothing is taken back yet.
   *
   * @param action what the first close does
   */
  public Withdrawal(Closeable action) {
    this.action = action;
  }

  /** Idempotent, as {@link Closeable} demands. */
  @Override
  public void close() throws IOException {
    if (isClosed.compareAndSet(false, true)) {
      action.close();
    }
  }
}
