package org.slipstream.transport;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;

/**
 * The one daemon thread of a process on which every session lives.
 *
 * <p>Whatever runs on it must never block: not on a lock that a program may hold for long (only
 * {@code tryLock}), not on a socket (channels are non-blocking for ever, so that no interrupt can
 * close them).
 */
public interface Reactor {

  /** Called on the reactor's thread when a registered channel is ready. */
  @FunctionalInterface
  interface Handler {
    /**
     * The channel is ready.
     *
     * @param key the key of the ready channel; the handler may change its interest or cancel it
     * @throws IOException ends the registration: the channel is closed, then {@link #failed} is
     *     called
     */
    void ready(SelectionKey key) throws IOException;

    /**
     * The handler threw, or the reactor shuts down; the channel has been closed.
     *
     * @param cause what happened
     */
    default void failed(Throwable cause) {}
  }

  /**
   * Registers a channel. The channel is switched to non-blocking mode.
   *
   * @param channel a channel of the JDK's default provider
   * @param ops the interest set
   * @param handler called when it is ready
   * @return the key
   * @throws IOException if the channel can not be registered
   */
  SelectionKey register(SelectableChannel channel, int ops, Handler handler) throws IOException;

  /**
   * Runs a task on the reactor's thread, soon. May be called by any thread; never blocks.
   *
   * @param task must not block
   */
  void execute(Runnable task);

  /**
   * Runs a task on the reactor's thread after a delay.
   *
   * @param delayNanos how long to wait, in nanoseconds
   * @param task must not block
   */
  void schedule(long delayNanos, Runnable task);

  /**
   * Says whether the calling thread is the reactor's.
   *
   * @return true on the reactor's thread
   */
  boolean inReactor();
}
