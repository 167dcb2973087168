package org.slipstream.provider.nio;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import org.slipstream.core.doorbell.Descriptors;

/** The JDK's descriptors, where its package is open to us. */
final class JdkDescriptors implements Descriptors {

  /**
   * Of a connection; looked up when the first thread sleeps on a futex. By fields: the JDK has
   * classes for their handles, and makes some for that of a method.
   */
  private static final class Connection {
    static final VarHandle NUMBER = DefaultProvider.field("SocketChannelImpl", "fdVal", int.class);
    static final VarHandle FD =
        DefaultProvider.field("SocketChannelImpl", "fd", FileDescriptor.class);
  }

  /** Of the other channels; looked up when the first pipe is made. */
  private static final class Jdk {
    static final MethodHandle OF_CHANNEL =
        DefaultProvider.internal("SelChImpl", "getFDVal")
            .asType(MethodType.methodType(int.class, Object.class));
    static final MethodHandle OF_FILE =
        DefaultProvider.internal("IOUtil", "fdVal", FileDescriptor.class);
    static final MethodHandle CONFIGURE_BLOCKING =
        DefaultProvider.internal(
            "IOUtil", "configureBlocking", FileDescriptor.class, boolean.class);
  }

  /** Looked up when something first came for a thread that sleeps on a futex. */
  private static final class Look {
    /** {@code POLLIN} of Linux. */
    static final int IN = 1;

    /**
     * {@code POLLERR} of Linux. What ends a connection says POLLIN beside it. Alone it speaks of
     * the queue of errors, which no read empties: a read would wait.
     */
    static final int ERR = 8;

    static final MethodHandle POLL =
        DefaultProvider.internal("Net", "poll", FileDescriptor.class, int.class, long.class);
  }

  /** Looked up when a listener is bound. */
  private static final class Options {
    static final MethodHandle FD =
        DefaultProvider.internal("SelChImpl", "getFD")
            .asType(MethodType.methodType(FileDescriptor.class, Object.class));

    /** {@code IPPROTO_TCP} and {@code TCP_SAVE_SYN} of Linux. */
    static final int TCP = 6;

    static final int SAVE_SYN = 27;

    static final MethodHandle SET =
        DefaultProvider.internal(
            "Net",
            "setIntOption0",
            FileDescriptor.class,
            boolean.class,
            int.class,
            int.class,
            int.class,
            boolean.class);
  }

  /** Looked up when a thread first slept on a futex. */
  private static final class Threads {
    static final MethodHandle CURRENT = DefaultProvider.internal("NativeThread", "current");
    static final MethodHandle SIGNAL =
        DefaultProvider.internal("NativeThread", "signal", long.class);
  }

  private JdkDescriptors() {}

  /** Of the type that the caller passes on: else its verifier would load that type before main. */
  static Descriptors reached() {
    return new JdkDescriptors();
  }

  @Override
  public int number(SelectableChannel channel) throws IOException {
    try {
      return channel instanceof SocketChannel
          ? (int) Connection.NUMBER.get((Object) channel)
          : (int) Jdk.OF_CHANNEL.invokeExact((Object) channel);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  @Override
  public boolean isReadable(SocketChannel connection) throws IOException {
    try {
      FileDescriptor fd = (FileDescriptor) Connection.FD.get((Object) connection);
      return ((int) Look.POLL.invokeExact(fd, Look.IN, 0L) & ~Look.ERR) != 0;
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  @Override
  public void keepFirstSegments(SelectableChannel listener) throws IOException {
    try {
      FileDescriptor fd = (FileDescriptor) Options.FD.invokeExact((Object) listener);
      Options.SET.invokeExact(fd, false, Options.TCP, Options.SAVE_SYN, 1, false);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  @Override
  public int number(FileDescriptor file) throws IOException {
    try {
      return (int) Jdk.OF_FILE.invokeExact(file);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  @Override
  public void neverBlock(FileDescriptor file) throws IOException {
    try {
      Jdk.CONFIGURE_BLOCKING.invokeExact(file, false);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  @Override
  public long thread() {
    try {
      return (long) Threads.CURRENT.invokeExact();
    } catch (Throwable e) {
      return 0; // another JDK: the sleeper looks again by itself
    }
  }

  @Override
  public void signal(long thread) {
    try {
      Threads.SIGNAL.invokeExact(thread);
    } catch (Throwable e) {
      // As above: no thread is named.
    }
  }

  /** Of the package that is not open, too: it is the cause of an error of initialisation. */
  private static IOException failed(Throwable e) {
    return e instanceof IOException io
        ? io
        : new IOException("the JDK's own descriptors can not be reached; start with the agent", e);
  }
}
