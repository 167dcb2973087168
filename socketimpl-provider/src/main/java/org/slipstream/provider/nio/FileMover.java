package org.slipstream.provider.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import org.slipstream.core.stream.FileTransfer;
import org.slipstream.core.stream.Stream;

/** Files to and from a channel, when the JDK has asked it ({@link FileSeam}). */
final class FileMover {
  /** As the JDK's own loop. */
  private static final int BUFFER_BYTES = 8192;

  private static final FileTransfer.Kernel KERNEL = DefaultProvider.fileSender();

  private FileMover() {}

  /** Negative if the JDK has to do it, byte for byte. */
  static long send(SlipstreamSocketChannel target, FileChannel file, long position, long count)
      throws IOException {
    Stream stream = target.stream();
    boolean blocking = target.isBlocking();
    try {
      long n = FileTransfer.send(stream, file, position, count, blocking, KERNEL);
      return n == Stream.MUST_NOT_BLOCK
          ? LockBorrower.run(
              target, () -> FileTransfer.send(stream, file, position, count, true, KERNEL))
          : n;
    } catch (ClosedChannelException e) {
      throw target.closedWith(e);
    }
  }

  /**
   * As the JDK's own loop, which ends with a read that finds nothing, or with an error behind some
   * bytes; but what lies in the ring goes into the file as it is.
   */
  static long receive(SlipstreamSocketChannel source, FileChannel file, long position, long count)
      throws IOException {
    ByteBuffer buffer = null;
    long total = 0;
    try {
      while (total < count) {
        long at = position + total;
        int n = FileTransfer.receive(source.stream(), file, at, count - total);
        if (n == 0) {
          if (buffer == null) {
            buffer = ByteBuffer.allocate((int) Math.min(count, BUFFER_BYTES));
          }
          buffer.clear().limit((int) Math.min(count - total, buffer.capacity()));
          int read = source.read(buffer);
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
