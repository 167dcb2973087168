package org.slipstream.core.stream;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.OutOfLine;

/**
 * Reads of the TCP connection: into the program's buffer, or into a small buffer of ours for what
 * is not data. Guarded by the read lock. Blocking reads are the JDK's own, so interrupts,
 * asynchronous close and the parking of virtual threads are the JDK's own too.
 */
final class TcpReader {
  private static final int CONTROL_BYTES = 32;

  private final SocketChannel tcp;
  private final ConnectionError error;
  private @Nullable ByteBuffer held;
  private @Nullable InputStream input;

  /**
   * A reader is in the kernel, or sleeps elsewhere. Written by it under the read lock; read by a
   * closer without.
   */
  private volatile boolean waiting;

  TcpReader(SocketChannel tcp, ConnectionError error) {
    this.tcp = tcp;
    this.error = error;
  }

  /** What was read but is not data; its remaining bytes are unparsed. */
  ByteBuffer held() {
    ByteBuffer h = held;
    if (h == null) {
      h = ByteBuffer.allocate(CONTROL_BYTES).order(ByteOrder.LITTLE_ENDIAN).limit(0);
      held = h;
    }
    return h;
  }

  /** Whether {@link #held} has bytes. */
  boolean isHolding() {
    ByteBuffer h = held;
    return h != null && h.hasRemaining();
  }

  /** Whether {@link #held} has so many bytes, which a parser that ran out of memory left there. */
  boolean holdsWhole(int bytes) {
    ByteBuffer h = held;
    return h != null && h.remaining() >= bytes;
  }

  /**
   * Reads more into {@link #held}. The caller may be a thread that the program does not know of, so
   * an error of the connection is latched.
   *
   * @return bytes read; 0 if there are none (not blocking); -1 at the end and after an error
   */
  @OutOfLine
  int fill(boolean blocking, long deadline) throws IOException {
    ByteBuffer h = held();
    h.compact();
    try {
      return read(h, blocking, deadline);
    } catch (IOException e) {
      if (!error.latch(e)) {
        throw e;
      }
      return -1;
    } finally {
      h.flip();
    }
  }

  /** Whether a read of the TCP connection might block. Works in every mode; costs a system call. */
  boolean isEmpty() throws IOException {
    return tcp.isConnected() && available() == 0;
  }

  /** What the kernel has; a system call. */
  int available() throws IOException {
    MemoryFaults.settle();
    InputStream s = input;
    if (s == null) {
      try {
        s = tcp.socket().getInputStream();
      } catch (SocketException e) {
        if (!tcp.isOpen()) {
          throw new ClosedChannelException();
        }
        return 0; // the input is shut down: the kernel gives nothing any more
      }
      input = s; // the JDK makes one for each question
    }
    return s.available();
  }

  /** Moves bytes that turned out not to be data out of the program's buffer. */
  void unread(ByteBuffer from, int index, int length) {
    ByteBuffer h = held();
    if (h.remaining() + length > h.capacity()) {
      ByteBuffer larger =
          ByteBuffer.allocate(h.remaining() + length + CONTROL_BYTES)
              .order(ByteOrder.LITTLE_ENDIAN);
      held = larger.put(h).flip();
      h = larger;
    }
    h.compact();
    h.put(h.position(), from, index, length);
    h.position(h.position() + length).flip();
  }

  @OutOfLine
  int read(ByteBuffer dst, boolean blocking, long deadline) throws IOException {
    MemoryFaults.settle();
    if (!blocking) {
      return readNow(dst, false, 0);
    }
    waiting = true;
    try {
      return readNow(dst, true, deadline);
    } finally {
      waiting = false;
    }
  }

  /** Scatters; as {@link #read}, without a deadline. */
  long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
    waiting = true; // in non-blocking mode for a moment
    try {
      return tcp.read(dsts, offset, length);
    } finally {
      waiting = false;
    }
  }

  /** Whether a reader is in the kernel, and perhaps sleeps there; any thread. */
  boolean isWaiting() {
    return waiting;
  }

  /** A reader sleeps elsewhere, and is as much in the way of a closer as one in the kernel. */
  void waits(boolean sleeps) {
    waiting = sleeps;
  }

  private int readNow(ByteBuffer dst, boolean blocking, long deadline) throws IOException {
    if (tcp instanceof WaitingConnection waiting) {
      return blocking ? waiting.read(dst, deadline) : waiting.kernel().read(dst);
    }
    if (!blocking || deadline == 0) {
      return tcp.read(dst);
    }
    long left = deadline - System.nanoTime();
    if (left <= 0) {
      throw new SocketTimeoutException("Read timed out");
    }
    // The adaptor is the one way to a timed read that parks virtual threads as well.
    Socket adaptor = tcp.socket();
    adaptor.setSoTimeout(Math.clamp((left + 999_999) / 1_000_000, 1, Integer.MAX_VALUE));
    if (dst.hasArray()) {
      int n =
          adaptor
              .getInputStream()
              .read(dst.array(), dst.arrayOffset() + dst.position(), dst.remaining());
      if (n > 0) {
        dst.position(dst.position() + n);
      }
      return n;
    }
    byte[] copy = new byte[Math.min(dst.remaining(), 64 * 1024)];
    int n = adaptor.getInputStream().read(copy, 0, copy.length);
    if (n > 0) {
      dst.put(copy, 0, n);
    }
    return n;
  }
}
