package org.slipstream.core.stream;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.ProtocolViolationException;

/**
 * The error of a stream's TCP connection, whichever thread met it.
 *
 * <p>Linux hands the pending error of a socket to exactly one system call. Control bytes are read
 * and written by helpers, selectors and the program's own threads, beside the program's reads and
 * writes; an error that such a call takes would be lost, and the program's next read would report a
 * clean end. So an error that control bytes meet is latched here, and the program's next operation
 * gets it, with the exception that the JDK throws from that operation: once, as the kernel's; but a
 * reset that a read has reported is reported by every later read, and a broken connection by every
 * later write.
 *
 * <p>Any thread. What the peer says in its window, a reset or nonsense, counts in the same way.
 */
final class ConnectionError {
  private static final String RESET = "Connection reset";
  private static final String RESET_BY_PEER = "Connection reset by peer";

  /** Not a reset: a read reports them as they are, and the end after them, as the JDK does. */
  private static final Set<String> FAILURES =
      Set.of("Connection timed out", "No route to host", "Network is unreachable");

  /** A control write that takes longer sleeps in the kernel, so the connection is not broken. */
  private static final long LONGEST_WRITE_NS = 1_000_000_000;

  private static final long LOOK_AGAIN_NS = 50_000;

  private final SocketChannel tcp;

  /** What the next operation of the program has to report. Taken out by it. */
  private final AtomicReference<@Nullable IOException> pending = new AtomicReference<>();

  /** No byte gets to the peer any more. Only ever set, by any thread. */
  private volatile boolean met;

  /** More than a broken pipe was met. Only ever set, by any thread. */
  private volatile boolean metError;

  /** The peer broke the protocol. Written under the read lock. */
  private volatile @Nullable IOException violation;

  /** A read has reported a reset. Guarded by the read lock. */
  private boolean resetReported;

  /** A thread is in a write of control bytes. Written by it, under the write lock. */
  private volatile boolean writing;

  ConnectionError(SocketChannel tcp) {
    this.tcp = tcp;
  }

  /**
   * Writes control bytes.
   *
   * @return bytes written; 0 if the kernel takes none (not blocking); -1 if the connection is
   *     broken, which is the program's to be told
   * @throws IOException only for what ended this call and not the connection: close, interrupt
   */
  int writeControl(ByteBuffer bytes) throws IOException {
    writing = true; // before the kernel gives the error to us: the reader waits for it
    try {
      return tcp.write(bytes);
    } catch (IOException e) {
      if (!latch(e)) {
        throw e;
      }
      return -1;
    } finally {
      writing = false;
    }
  }

  /**
   * Keeps what a call of ours met, for the program's next operation.
   *
   * @return false if it does not concern the connection, but only this call: close, interrupt,
   *     timeout
   */
  boolean latch(IOException e) {
    if (e instanceof ClosedChannelException
        || e instanceof InterruptedIOException
        || e instanceof ProtocolViolationException
        || !tcp.isOpen()) {
      return false;
    }
    if (!isBrokenPipe(e)) {
      keep(e);
    }
    met = true;
    return true;
  }

  private void keep(IOException e) {
    pending.compareAndSet(null, e);
    metError = true;
  }

  /** Only what was written after the end meets it: a read still reports the end. */
  private static boolean isBrokenPipe(IOException e) {
    return BrokenPipe.MESSAGES.contains(String.valueOf(e.getMessage()));
  }

  /** The window says that the peer has reset the stream. */
  void peerReset() {
    if (!metError) {
      keep(new SocketException(RESET));
    }
    met = true;
  }

  /** Bytes may be missing: every read reports a reset. Under the read lock. */
  SocketException incomplete() {
    resetReported = true;
    met = true;
    return new SocketException(RESET);
  }

  /** The peer broke the protocol: every read reports it. Under the read lock. */
  IOException violated(ProtocolViolationException e) {
    violation = e;
    return e;
  }

  /** Whether the connection is broken, so that a write reports it; any thread. */
  boolean isMet() {
    return met;
  }

  /** Whether the peer broke the protocol; any thread. */
  boolean isViolated() {
    return violation != null;
  }

  /**
   * A read has found that there are no more bytes. Under the read lock.
   *
   * @return -1 if that is the end; 0 if it is not known yet (not blocking)
   * @throws IOException what the read has to report instead
   */
  int end(boolean blocking) throws IOException {
    IOException wrong = violation;
    if (wrong != null) {
      throw wrong;
    }
    if (writing && !isWritten(blocking)) {
      return 0;
    }
    IOException e = pending.get() == null ? null : pending.getAndSet(null);
    if (e != null && FAILURES.contains(String.valueOf(e.getMessage()))) {
      throw e;
    }
    resetReported |= e != null;
    if (resetReported) {
      throw new SocketException(RESET);
    }
    return -1;
  }

  /** The writer of control bytes may have taken an error off the kernel and not latched it yet. */
  private boolean isWritten(boolean blocking) {
    long began = System.nanoTime();
    while (blocking && writing && System.nanoTime() - began < LONGEST_WRITE_NS) {
      LockSupport.parkNanos(this, LOOK_AGAIN_NS);
    }
    return blocking || !writing;
  }

  /** What a write reports. Only if {@link #isMet}; under the write lock. */
  IOException forWriter() {
    IOException e = pending.getAndSet(null);
    if (e == null) {
      return new IOException("Broken pipe");
    }
    String message = e.getMessage();
    return new IOException(RESET.equals(message) ? RESET_BY_PEER : message, e);
  }
}
