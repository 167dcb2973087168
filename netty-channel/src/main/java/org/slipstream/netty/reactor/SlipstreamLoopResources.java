package org.slipstream.netty.reactor;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slipstream.netty.SlipstreamIoHandler;
import org.slipstream.netty.SlipstreamServerSocketChannel;
import org.slipstream.netty.SlipstreamSocketChannel;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.NonBlocking;
import reactor.netty.FutureMono;
import reactor.netty.resources.LoopResources;

/**
 * Event loops whose TCP channels are Slipstream's and whose datagrams are Netty NIO's: {@code
 * HttpServer.create().runOn(new SlipstreamLoopResources())}, and the same for clients.
 *
 * <p>May be used by any number of clients and servers, from any thread. The program that made it
 * disposes of it.
 */
public final class SlipstreamLoopResources implements LoopResources {
  private final EventLoopGroup group;

  /**
   * Makes as many loops as Reactor Netty would.
   *
   * @throws IllegalStateException if slipstream.jar is missing
   */
  public SlipstreamLoopResources() {
    this(DEFAULT_IO_WORKER_COUNT);
  }

  /**
   * Makes loops.
   *
   * @param loops how many, each with its thread
   * @throws IllegalStateException if slipstream.jar is missing
   */
  public SlipstreamLoopResources(int loops) {
    group =
        new MultiThreadIoEventLoopGroup(loops, new LoopThreads(), SlipstreamIoHandler.newFactory());
  }

  /** Threads on which Reactor refuses to block. */
  private static final class LoopThreads extends DefaultThreadFactory {
    LoopThreads() {
      super("reactor-slipstream", true);
    }

    @Override
    protected Thread newThread(Runnable task, String name) {
      return new LoopThread(task, name);
    }
  }

  private static final class LoopThread extends FastThreadLocalThread implements NonBlocking {
    LoopThread(Runnable task, String name) {
      super(task, name);
    }
  }

  @Override
  public boolean daemon() {
    return true;
  }

  @Override
  public EventLoopGroup onServer(boolean useNative) {
    return group;
  }

  @Override
  public <C extends Channel> C onChannel(Class<C> type, EventLoopGroup loops) {
    if (type == SocketChannel.class) {
      return type.cast(new SlipstreamSocketChannel());
    }
    if (type == ServerSocketChannel.class) {
      return type.cast(new SlipstreamServerSocketChannel());
    }
    if (type == DatagramChannel.class) {
      return type.cast(new NioDatagramChannel());
    }
    throw unsupported(type);
  }

  @Override
  public <C extends Channel> Class<? extends C> onChannelClass(
      Class<C> type, EventLoopGroup loops) {
    if (type == SocketChannel.class) {
      return SlipstreamSocketChannel.class.asSubclass(type);
    }
    if (type == ServerSocketChannel.class) {
      return SlipstreamServerSocketChannel.class.asSubclass(type);
    }
    if (type == DatagramChannel.class) {
      return NioDatagramChannel.class.asSubclass(type);
    }
    throw unsupported(type);
  }

  private static IllegalArgumentException unsupported(Class<?> type) {
    return new IllegalArgumentException("Slipstream has no channel of type " + type.getName());
  }

  @Override
  public boolean isDisposed() {
    return group.isShuttingDown();
  }

  @Override
  @SuppressWarnings("unchecked") // nothing can be put into that future
  public Mono<Void> disposeLater(Duration quietPeriod, Duration timeout) {
    return FutureMono.deferFuture(() ->
        (Future<Void>)
            group.shutdownGracefully(
                quietPeriod.toNanos(), timeout.toNanos(), TimeUnit.NANOSECONDS));
  }
}
