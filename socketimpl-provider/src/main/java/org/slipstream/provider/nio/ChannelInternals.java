package org.slipstream.provider.nio;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.channels.Channel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import org.slipstream.transport.Stability;

/**
 * What is public in the JDK's package of channels, which is exported to few. Called as Java calls:
 * a handle of a method is one or more classes that the JVM makes, each a millisecond of processor
 * time while a process is young.
 */
@Stability(Stability.Level.INTERNAL)
public interface ChannelInternals {
  /**
   * The JDK's own provider.
   *
   * @return the one of the JVM
   */
  SelectorProvider selectors();

  /**
   * The JDK's own provider of asynchronous channels.
   *
   * @return a new one
   */
  AsynchronousChannelProvider asynchronous();

  /**
   * A platform thread waits in {@code poll}, which no interrupt ends; may return early.
   *
   * @param channel of the JDK's own provider; no thread may close it meanwhile
   * @param event {@link KernelWait#IN} or {@link KernelWait#OUT}
   * @param nanos how long at most; 0 = for ever
   * @throws IOException from the kernel
   */
  void await(SocketChannel channel, int event, long nanos) throws IOException;

  /**
   * The descriptor of a channel.
   *
   * @param channel of the JDK's own provider
   * @return its own, not a copy
   */
  FileDescriptor descriptor(Channel channel);

  /**
   * The number of a channel's descriptor.
   *
   * @param channel of the JDK's own provider
   * @return the number in {@code /proc/self/fd}
   */
  int number(Channel channel);

  /**
   * The number of a descriptor.
   *
   * @param descriptor open
   * @return the number in {@code /proc/self/fd}
   */
  int number(FileDescriptor descriptor);

  /**
   * Sets {@code O_NONBLOCK}.
   *
   * @param descriptor open
   * @throws IOException from the kernel
   */
  void neverBlock(FileDescriptor descriptor) throws IOException;

  /**
   * Names the calling thread for {@link #signal}.
   *
   * @return 0 or less if it can not be signalled
   */
  long thread();

  /**
   * Ends the system call in which a thread waits.
   *
   * @param thread from {@link #thread}, of a thread that has not ended
   */
  void signal(long thread);
}
