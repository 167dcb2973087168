package org.slipstream.provider.nio;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.net.ProtocolFamily;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.Stability;

/**
 * Waits for the kernel as the JDK's own {@code java.net.Socket} does: a platform thread in {@code
 * poll}, which no interrupt ends; a virtual thread in the JDK's poller, which holds no carrier.
 */
@Stability(Stability.Level.INTERNAL)
public final class KernelWait {
  /** {@code POLLIN} of Linux. */
  public static final int IN = 1;

  /** {@code POLLOUT} of Linux. */
  public static final int OUT = 4;

  /**
   * Plain calls: each handle of a method is a class that the JVM makes, in a millisecond of a young
   * process.
   */
  private static final ChannelInternals JDK = DefaultProvider.internals();

  /** The JDK's poller. */
  private static final class Poller {
    static final MethodHandle PARK =
        DefaultProvider.internal(
                "Poller", "poll", int.class, int.class, long.class, BooleanSupplier.class)
            .asType(
                MethodType.methodType(
                    void.class, int.class, int.class, long.class, BooleanSupplier.class));
    static final MethodHandle STOP =
        DefaultProvider.internal("Poller", "stopPoll", int.class)
            .asType(MethodType.methodType(void.class, int.class));

    static void start() {
      DefaultProvider.initialize("Poller");
    }
  }

  /** The JDK's own {@code connect} to no address, which the kernel answers with a reset. */
  private static final class Disconnect {
    static final @Nullable MethodHandle DISCONNECT = find();

    private static @Nullable MethodHandle find() {
      try {
        return DefaultProvider.internal(
                "DatagramChannelImpl", "disconnect0", FileDescriptor.class, boolean.class)
            .asType(MethodType.methodType(void.class, FileDescriptor.class, boolean.class));
      } catch (IllegalStateException e) {
        return null; // another JDK
      }
    }
  }

  /** Options of a descriptor that its channel does not offer. */
  private static final class Options {
    static final MethodHandle SET =
        DefaultProvider.internal(
            "Net",
            "setIpSocketOption",
            FileDescriptor.class,
            ProtocolFamily.class,
            SocketOption.class,
            Object.class);
    static final MethodHandle GET =
        DefaultProvider.internal(
            "Net",
            "getSocketOption",
            FileDescriptor.class,
            ProtocolFamily.class,
            SocketOption.class);
    static final MethodHandle IPV6 = DefaultProvider.internal("Net", "isIPv6Available");

    static ProtocolFamily family() throws Throwable {
      return (boolean) IPV6.invoke() ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;
    }
  }

  private static final ReentrantLock STARTING = new ReentrantLock();

  /** Some virtual thread waits, or has waited, in this process. */
  private static volatile boolean pollerRuns;

  private KernelWait() {}

  /**
   * Waits; may return early for no reason. No thread may close the channel meanwhile.
   *
   * @param channel of the JDK's own provider
   * @param event {@link #IN} or {@link #OUT}
   * @param nanos how long at most; 0 = for ever
   * @param open whether a virtual thread may still go to sleep
   * @throws IOException from the kernel
   */
  public static void await(SocketChannel channel, int event, long nanos, BooleanSupplier open)
      throws IOException {
    try {
      if (Thread.currentThread().isVirtual()) {
        if (!pollerRuns) {
          startPoller(); // before the poller asks whether the channel is open
        }
        Poller.PARK.invokeExact(JDK.number(channel), event, nanos, open);
      } else {
        JDK.await(channel, event, nanos);
      }
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException(e);
    }
  }

  /**
   * Sets the traffic class of a listener, and so of the connections that it accepts; its channel
   * refuses that option.
   *
   * @param listener of the JDK's own provider
   * @param value as for {@link StandardSocketOptions#IP_TOS}
   * @throws IOException from the kernel
   */
  public static void trafficClass(ServerSocketChannel listener, int value) throws IOException {
    try {
      FileDescriptor fd = JDK.descriptor(listener);
      Options.SET.invoke(fd, Options.family(), StandardSocketOptions.IP_TOS, (Object) value);
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException(e);
    }
  }

  /**
   * Reads what {@link #trafficClass(ServerSocketChannel, int)} sets.
   *
   * @param listener of the JDK's own provider
   * @return as the kernel has it
   * @throws IOException from the kernel
   */
  public static int trafficClass(ServerSocketChannel listener) throws IOException {
    try {
      FileDescriptor fd = JDK.descriptor(listener);
      return (Integer) Options.GET.invoke(fd, Options.family(), StandardSocketOptions.IP_TOS);
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException(e);
    }
  }

  /**
   * Does now what the first wait would do; virtual threads that wait for it hold their carriers.
   *
   * @throws LinkageError this JDK has not what waits are made of
   */
  public static void prepare() {
    // Loads this class.
  }

  /**
   * Expensive, so a program without virtual threads does without. On a thread of its own, because
   * virtual threads that wait for the initialisation of a class hold their carriers.
   */
  private static void startPoller() {
    STARTING.lock();
    try {
      if (pollerRuns) {
        return;
      }
      Thread starter =
          Thread.ofPlatform().daemon().name("slipstream-poller-start").start(Poller::start);
      boolean interrupted = false;
      while (starter.isAlive()) {
        try {
          starter.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      pollerRuns = true;
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    } finally {
      STARTING.unlock();
    }
  }

  /**
   * Resets a connection at once, and so wakes platform threads that wait for it; the descriptor
   * stays open.
   *
   * @param channel of the JDK's own provider, connected; no thread may close it meanwhile
   * @return false if this JDK can not do it
   * @throws IOException from the kernel
   */
  public static boolean reset(SocketChannel channel) throws IOException {
    MethodHandle disconnect = Disconnect.DISCONNECT;
    if (disconnect == null) {
      return false;
    }
    try {
      disconnect.invokeExact(JDK.descriptor(channel), false);
      return true;
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException(e);
    }
  }

  /**
   * Wakes virtual threads that wait for a channel.
   *
   * @param channel of the JDK's own provider, not yet closed, but no thread may go to sleep for it
   *     any more
   */
  public static void wake(SocketChannel channel) {
    if (!pollerRuns) {
      return; // a thread that comes now sees that the channel is closed
    }
    try {
      Poller.STOP.invokeExact(JDK.number(channel));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
