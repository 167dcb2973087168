package org.slipstream.core.doorbell;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;

/** What the JDK keeps to itself about descriptors, and about threads that wait in the kernel. */
public interface Descriptors {
  /**
   * The number of a channel's descriptor.
   *
   * @param channel of the JDK's own provider
   * @return the number in {@code /proc/self/fd}
   * @throws IOException if it can not be found out
   */
  int number(SelectableChannel channel) throws IOException;

  /**
   * Asks the kernel whether a read would return at once: bytes, the end, or an error.
   *
   * @param connection of the JDK's own provider; of a closed one the answer means nothing
   * @return false if it would wait
   * @throws IOException from the kernel, or if it can not be asked
   */
  boolean isReadable(SocketChannel connection) throws IOException;

  /**
   * Has the kernel keep the first segment of each connection that a listener accepts from now on
   * ({@code TCP_SAVE_SYN}).
   *
   * @param listener of the JDK's own provider
   * @throws IOException from the kernel, or if it can not be asked
   */
  void keepFirstSegments(SelectableChannel listener) throws IOException;

  /**
   * The number of a file's descriptor.
   *
   * @param file open
   * @return the number in {@code /proc/self/fd}
   * @throws IOException if it can not be found out
   */
  int number(FileDescriptor file) throws IOException;

  /**
   * Sets {@code O_NONBLOCK}.
   *
   * @param file open; no other descriptor shares its open file description
   * @throws IOException if that is not possible
   */
  void neverBlock(FileDescriptor file) throws IOException;

  /**
   * Names the calling thread for {@link #signal}. Never fails, never allocates.
   *
   * @return 0 or less if it can not be signalled
   */
  long thread();

  /**
   * Ends a system call in which a thread waits, as the JDK does when a channel is closed; a thread
   * that waits nowhere goes on.
   *
   * @param thread from {@link #thread}, of a thread that has not ended
   */
  void signal(long thread);
}
