package org.slipstream.core.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import org.slipstream.core.ring.FileFill;
import org.slipstream.core.ring.WholePages;
import org.slipstream.transport.MemoryFaults;

/**
 * From a file into a stream and from a stream into a file, without a buffer in between: while the
 * direction is on the TCP connection the kernel's {@code sendfile} does it, and in the ring one
 * {@code pread} or {@code pwrite} for each piece.
 *
 * <p>The semantics are those of {@link FileChannel#transferTo} into the JDK's own channel: what was
 * taken before a close is returned and not thrown away, an interrupt is always thrown, and a file
 * that is shorter than it was ends the transfer early.
 */
public final class FileTransfer {
  /** The bytes have to go through a buffer: what the JDK calls an unsupported case. */
  public static final int UNSUPPORTED = -6;

  /** As the JDK's own loop. */
  private static final int BUFFER_BYTES = 8192;

  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  private FileTransfer() {}

  /** Sends a piece of a file into the kernel's connection. */
  @FunctionalInterface
  public interface Kernel {
    /**
     * As {@link FileChannel#transferTo}.
     *
     * @param file whose bytes
     * @param position of the first
     * @param count how many at most
     * @param connection of the JDK's own provider
     * @return bytes sent
     * @throws IOException as {@link FileChannel#transferTo}
     */
    long send(FileChannel file, long position, long count, SocketChannel connection)
        throws IOException;
  }

  /**
   * Sends a piece of a file.
   *
   * @param stream the target
   * @param file readable
   * @param position of the first byte; not behind the end of the file
   * @param count how many; not beyond the end of the file
   * @param blocking whether to wait until all are sent
   * @param kernel used while the stream is plain
   * @return bytes sent; 0 if there is no space (not blocking); {@link Stream#MUST_NOT_BLOCK}; or
   *     {@link #UNSUPPORTED}, and none was sent
   * @throws IOException as the JDK's own channel
   */
  public static long send(
      Stream stream, FileChannel file, long position, long count, boolean blocking, Kernel kernel)
      throws IOException {
    stream.out.lock.lock();
    try {
      return MemoryFaults.settled(sendPieces(stream, file, position, count, blocking, kernel));
    } catch (InternalError e) {
      throw stream.memoryFault(e);
    } finally {
      stream.out.lock.unlock();
      stream.afterWrite();
    }
  }

  private static long sendPieces(
      Stream stream, FileChannel file, long position, long count, boolean blocking, Kernel kernel)
      throws IOException {
    Outbound out = stream.out;
    long total = 0;
    long waited = 0; // the total when the ring was full the last time
    try {
      while (out.switching.ready(blocking)) {
        if (total > 0 && out.isBroken()) {
          return total; // the next operation reports it
        }
        out.checkConnection();
        boolean onRing = out.switching.isSwitched();
        boolean mustNotBlock = blocking && stream.context().scope.mustNotBlock();
        if (!onRing && mustNotBlock) {
          return total > 0 ? total : Stream.MUST_NOT_BLOCK;
        }
        long n =
            onRing
                ? fill(stream, file, position + total, count - total)
                : total == 0
                    ? sendRaw(stream, file, position, count, blocking, kernel)
                    : sendRest(stream, file, position + total, count - total, blocking, kernel);
        if (n == FileFill.END || (n < 0 && total > 0)) {
          return total;
        }
        if (n < 0) {
          return UNSUPPORTED;
        }
        total += n;
        if (!onRing || total >= count) {
          out.tookAll();
          return total;
        }
        if (n > 0) {
          continue; // up to the end of the ring, or a whole piece: there may be space for another
        }
        if (mustNotBlock) {
          return total > 0 ? total : Stream.MUST_NOT_BLOCK;
        }
        StreamLink link = Objects.requireNonNull(stream.link());
        if (!out.awaitSpace(link, blocking, total > waited)) {
          return total;
        }
        if (!file.isOpen()) {
          throw new AsynchronousCloseException();
        }
        waited = total;
      }
      return total;
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (ClosedChannelException e) {
      if (total == 0) {
        throw e;
      }
      return total;
    }
  }

  /** One piece into the ring; negative if there can be no other. */
  private static long fill(Stream stream, FileChannel file, long position, long count)
      throws IOException {
    if (stream.context().scope.isInterrupted()) {
      file.read(NOTHING, position); // answers it as sendfile does: by closing the file
    }
    StreamLink link = stream.out.checkPeer();
    if (link == null || count == 0) {
      return count;
    }
    int n = link.producer().fill(file, position, count, stream.out.switching.control);
    stream.out.counters.countRing(n);
    return n;
  }

  /**
   * Behind bytes that went into the ring: they count, and an error is the next call's. The ring
   * took as many as it had space for, so the rest of a file that is read in whole pages may begin
   * within one, which {@code sendfile} refuses.
   */
  private static long sendRest(
      Stream stream, FileChannel file, long position, long count, boolean blocking, Kernel kernel)
      throws IOException {
    try {
      return sendRaw(stream, file, position, count, blocking, kernel);
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      return sendPages(stream, file, position, count, blocking);
    }
  }

  /** Through a buffer of whole pages. */
  private static long sendPages(
      Stream stream, FileChannel file, long position, long count, boolean blocking)
      throws IOException {
    WholePages pages = new WholePages();
    long total = 0;
    try {
      while (total < count) {
        int most = (int) Math.min(count - total, Integer.MAX_VALUE);
        ByteBuffer piece = pages.read(file, position + total, most);
        if (!piece.hasRemaining()) {
          break; // the file has become shorter
        }
        int n = stream.tcp().write(piece);
        stream.out.switching.sentRaw(n);
        total += n;
        if (piece.hasRemaining() && !blocking) {
          break;
        }
      }
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      // As at the end of the file: what was sent counts, and the error is the next call's.
    }
    return total > 0 ? total : FileFill.END;
  }

  /** All of it to the kernel, in one call. */
  private static long sendRaw(
      Stream stream, FileChannel file, long position, long count, boolean blocking, Kernel kernel)
      throws IOException {
    SocketChannel connection = stream.tcp();
    MemoryFaults.settle();
    if (blocking) {
      stream.out.takeDoorbells();
      if (Thread.currentThread().isVirtual()) {
        connection.write(NOTHING); // the kernel's socket in non-blocking mode: no held carrier
      }
    }
    long n = kernel.send(file, position, count, connection);
    if (n == 0 && count > 0 && blocking) {
      n = sendBuffered(file, position, count, connection);
    }
    if (n > 0) {
      stream.out.switching.sentRaw(n);
    }
    return n;
  }

  /**
   * A blocking channel that some virtual thread has used is in non-blocking mode to the kernel, so
   * sendfile may find no space; the JDK's own write knows how to wait then.
   */
  private static int sendBuffered(
      FileChannel file, long position, long count, SocketChannel connection) throws IOException {
    ByteBuffer piece = ByteBuffer.allocate((int) Math.min(count, BUFFER_BYTES));
    if (file.read(piece, position) <= 0) {
      return FileFill.END;
    }
    return connection.write(piece.flip());
  }

  /**
   * Writes what lies in the ring into a file; never waits.
   *
   * @param stream the source
   * @param file writable
   * @param position where in the file
   * @param count how many bytes at most
   * @return bytes written; 0 if an ordinary read has to find out how the stream goes on
   * @throws IOException from the file; then the stream still has the bytes
   */
  public static int receive(Stream stream, FileChannel file, long position, long count)
      throws IOException {
    Inbound in = stream.in();
    in.lock.lock();
    try {
      StreamLink link = stream.link();
      if (link == null
          || !in.isRing()
          || stream.context().state.isInputShutdown()
          || !stream.isOpen()
          || stream.context().scope.isInterrupted()) {
        return 0;
      }
      int n = drain(in, link, file, position, count);
      in.counters.countRing(n);
      if (n > 0) {
        in.afterRead(link, link.consumer());
      }
      return MemoryFaults.settled(n);
    } catch (InternalError e) {
      throw stream.memoryFault(e);
    } finally {
      in.lock.unlock();
      stream.releaseIfClosed();
    }
  }

  /**
   * A file that takes whole pages only refuses a part of one, of which the rest lies behind a
   * switch: an ordinary read takes both.
   */
  private static int drain(Inbound in, StreamLink link, FileChannel file, long position, long count)
      throws IOException {
    try {
      return link.consumer().drain(file, position, count);
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      int inRing = link.consumer().availableBytes();
      if (inRing < count && in.readiness.availableBytes() > inRing) {
        return 0;
      }
      throw e;
    }
  }
}
