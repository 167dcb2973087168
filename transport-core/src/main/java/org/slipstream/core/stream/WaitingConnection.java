package org.slipstream.core.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/**
 * A TCP connection that brings its own way to wait, for adapters whose interrupts differ from those
 * of channels. Its kernel channel is in non-blocking mode for ever; its own mode is what it seems
 * to be.
 */
public abstract class WaitingConnection extends SocketChannel {

  /**
   * Makes one.
   *
   * @param provider of the kernel channel
   */
  protected WaitingConnection(SelectorProvider provider) {
    super(provider);
  }

  /**
   * The JDK's own channel.
   *
   * @return in non-blocking mode
   */
  public abstract SocketChannel kernel();

  /**
   * As {@link #read(ByteBuffer)}, for so long at most.
   *
   * @param dst where to
   * @param deadline {@link System#nanoTime} value; 0 = never
   * @return bytes read, or -1 at the end
   * @throws java.net.SocketTimeoutException at the deadline
   * @throws IOException as the JDK's own channel
   */
  public abstract int read(ByteBuffer dst, long deadline) throws IOException;

  /**
   * The JDK's own channel behind any TCP connection.
   *
   * @param tcp of a stream
   * @return itself, unless it is of this class
   */
  public static SocketChannel kernelOf(SocketChannel tcp) {
    return tcp instanceof WaitingConnection w ? w.kernel() : tcp;
  }
}
