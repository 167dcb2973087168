package org.slipstream.provider.async;

import java.io.IOException;
import java.nio.channels.AsynchronousChannel;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ShutdownChannelGroupException;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Channels that share threads. Life and death here, the threads' work in {@link EventLoop}.
 *
 * <p>It is an {@link Executor} because the JDK's own group is one, and programs cast it.
 */
final class ChannelGroup extends AsynchronousChannelGroup implements Executor {
  private final Pool pool;
  private final EventLoop loop;

  /** Guarded by itself, as the two flags. */
  private final Set<AsynchronousChannel> channels = new HashSet<>();

  private volatile boolean shutdown;
  private boolean terminating;

  private ChannelGroup(
      AsynchronousChannelProvider provider, SelectorProvider channelProvider, Pool pool)
      throws IOException {
    super(provider);
    this.pool = pool;
    this.loop = new EventLoop(this, channelProvider.openSelector(), pool);
  }

  static ChannelGroup start(
      AsynchronousChannelProvider provider, SelectorProvider channelProvider, Pool pool)
      throws IOException {
    ChannelGroup group = new ChannelGroup(provider, channelProvider, pool);
    group.loop.start();
    return group;
  }

  boolean isFixed() {
    return pool.fixed();
  }

  // -- channels --------------------------------------------------------------------------------

  /**
   * A channel joins.
   *
   * @throws ShutdownChannelGroupException if the group takes none any more
   */
  void add(AsynchronousChannel channel) {
    synchronized (channels) {
      if (shutdown) {
        throw new ShutdownChannelGroupException();
      }
      channels.add(channel);
    }
  }

  /** A channel was closed; the last one ends a group that was shut down. */
  void remove(AsynchronousChannel channel) {
    synchronized (channels) {
      channels.remove(channel);
      if (!shutdown || !channels.isEmpty()) {
        return;
      }
    }
    terminate();
  }

  SelectionKey listen(SelectableChannel channel, EventLoop.Pollable pollable) throws IOException {
    return loop.register(channel, pollable);
  }

  EventLoop loop() {
    return loop;
  }

  // -- threads ---------------------------------------------------------------------------------

  /**
   * Runs a task on a thread of the group.
   *
   * @throws RejectedExecutionException if the group has ended
   */
  @Override
  public void execute(Runnable task) {
    if (pool.fixed()) {
      loop.execute(task);
    } else {
      pool.executor()
          .execute(() -> {
            Invoker.bind(this);
            task.run();
          });
    }
  }

  // -- the end ---------------------------------------------------------------------------------

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return pool.executor().isTerminated();
  }

  @Override
  public void shutdown() {
    synchronized (channels) {
      if (shutdown) {
        return;
      }
      shutdown = true;
      if (!channels.isEmpty()) {
        return; // the last channel's close goes on
      }
    }
    terminate();
  }

  @Override
  public void shutdownNow() throws IOException {
    List<AsynchronousChannel> open;
    synchronized (channels) {
      shutdown = true;
      open = List.copyOf(channels);
    }
    for (AsynchronousChannel channel : open) {
      channel.close();
    }
    terminate();
  }

  private void terminate() {
    synchronized (channels) {
      if (terminating) {
        return;
      }
      terminating = true;
    }
    loop.terminate();
    pool.executor().shutdown();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return pool.executor().awaitTermination(timeout, unit);
  }
}
