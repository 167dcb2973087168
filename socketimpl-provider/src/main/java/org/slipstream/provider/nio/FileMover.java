package org.slipstream.provider.nio;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import org.slipstream.core.stream.FileTransfer;
import org.slipstream.core.stream.Stream;

/** Files to and from a channel, when the JDK has asked it ({@link FileSeam}). */
final class FileMover {
  /** As the JDK's own loop. */
  private static final int BUFFER_BYTES = 8192;

  /** As in the JDK, of a file that can be mapped but not read into any memory (O_DIRECT). */
  private static final int LEAST_MAPPED = 16 * 1024;

  private static final int MOST_MAPPED = 8 << 20;

  private static final FileTransfer.Kernel KERNEL = DefaultProvider.fileSender();

  private FileMover() {}

  /** Negative if the JDK has to do it, byte for byte. */
  static long send(SocketChannel target, Stream stream, FileChannel file, long position, long count)
      throws IOException {
    long n = FileTransfer.send(stream, file, position, count, target.isBlocking(), KERNEL);
    if (n == Stream.MUST_NOT_BLOCK) {
      n =
          LockBorrower.run(
              target, () -> FileTransfer.send(stream, file, position, count, true, KERNEL));
    }
    return n == FileTransfer.UNSUPPORTED && count >= LEAST_MAPPED
        ? sendMapped(target, file, position, Math.min(count, MOST_MAPPED))
        : n;
  }

  /** One write, as the JDK's. */
  private static long sendMapped(SocketChannel target, FileChannel file, long position, long count)
      throws IOException {
    try (Arena arena = Arena.ofShared()) { // another thread may do the write
      return target.write(
          file.map(FileChannel.MapMode.READ_ONLY, position, count, arena).asByteBuffer());
    }
  }

  /**
   * What one read of the kernel would return may lie on both sides of a switch; and a file that
   * takes whole pages only would refuse, and so lose, a part.
   */
  private static int readAll(SocketChannel source, Stream stream, ByteBuffer buffer)
      throws IOException {
    int total = source.read(buffer);
    try {
      while (total > 0 && buffer.hasRemaining() && stream.available() > 0) {
        int n = source.read(buffer);
        if (n <= 0) {
          break;
        }
        total += n;
      }
    } catch (IOException e) {
      return total; // the next read says it
    }
    return total;
  }

  /**
   * As the JDK's own loop, which ends with a read that finds nothing, or with an error behind some
   * bytes; but what lies in the ring goes into the file as it is.
   */
  static long receive(
      SocketChannel source, Stream stream, FileChannel file, long position, long count)
      throws IOException {
    ByteBuffer buffer = null;
    long total = 0;
    try {
      while (total < count) {
        long at = position + total;
        int n = FileTransfer.receive(stream, file, at, count - total);
        if (n == 0) {
          if (buffer == null) {
            buffer = ByteBuffer.allocate((int) Math.min(count, BUFFER_BYTES));
          }
          buffer.clear().limit((int) Math.min(count - total, buffer.capacity()));
          int read = readAll(source, stream, buffer);
          if (read <= 0) {
            break;
          }
          n = file.write(buffer.flip(), at);
          if (n < read) {
            return total + n;
          }
        }
        total += n;
      }
      return total;
    } catch (IOException e) {
      if (total == 0) {
        throw e;
      }
      return total;
    }
  }
}
