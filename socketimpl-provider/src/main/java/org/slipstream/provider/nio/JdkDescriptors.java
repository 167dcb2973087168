package org.slipstream.provider.nio;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import org.slipstream.core.doorbell.Descriptors;

/** The JDK's descriptors, where its package is open to us. */
final class JdkDescriptors implements Descriptors {

  /** Looked up when a listener is bound, or a thread first sleeps on a futex. */
  private static final class Jdk {
    static final ChannelInternals CALLS = DefaultProvider.internals();
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

  private JdkDescriptors() {}

  /** Of the type that the caller passes on: else its verifier would load that type before main. */
  static Descriptors reached() {
    return new JdkDescriptors();
  }

  @Override
  public int number(SelectableChannel channel) throws IOException {
    try {
      return Jdk.CALLS.number(channel);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  @Override
  public boolean isReadable(SocketChannel connection) throws IOException {
    try {
      FileDescriptor fd = Jdk.CALLS.descriptor(connection);
      return ((int) Look.POLL.invokeExact(fd, Look.IN, 0L) & ~Look.ERR) != 0;
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  @Override
  public void keepFirstSegments(SelectableChannel listener) throws IOException {
    try {
      FileDescriptor fd = Jdk.CALLS.descriptor(listener);
      Options.SET.invokeExact(fd, false, Options.TCP, Options.SAVE_SYN, 1, false);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  @Override
  public int number(FileDescriptor file) throws IOException {
    try {
      return Jdk.CALLS.number(file);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  @Override
  public void neverBlock(FileDescriptor file) throws IOException {
    try {
      Jdk.CALLS.neverBlock(file);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  @Override
  public long thread() {
    try {
      return Jdk.CALLS.thread();
    } catch (Throwable e) {
      return 0; // another JDK: the sleeper looks again by itself
    }
  }

  @Override
  public void signal(long thread) {
    try {
      Jdk.CALLS.signal(thread);
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
