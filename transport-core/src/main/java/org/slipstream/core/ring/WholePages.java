package org.slipstream.core.ring;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of whole pages for a file that takes nothing else: one that was opened with {@code
 * ExtendedOpenOption.DIRECT}, and a place in the ring, a position or a length that is no multiple
 * of a page. One read or write of the kernel and one copy.
 *
 * <p>Guarded by the lock of its direction. Its memory is allocated when the first such piece comes;
 * streams that see no such file have none.
 */
public final class WholePages {
  static final int PAGE = 4096;

  private static final int BYTES = 64 * 1024;

  private @Nullable ByteBuffer pages;

  /** Allocates nothing yet. */
  public WholePages() {}

  /** The largest number of whole pages that is not more than that. */
  static int down(int bytes) {
    return bytes & -PAGE;
  }

  /** Whether a page begins at that place of a ring, and one at that place of a file. */
  static boolean begin(ByteBuffer ring, int offset, long at) {
    return (at & PAGE - 1) == 0 && ring.alignmentOffset(offset, PAGE) == 0;
  }

  /**
   * Reads the pages in which a piece of a file lies.
   *
   * @param file readable
   * @param at where in the file the piece begins
   * @param count how many bytes of the piece at most; positive
   * @return the beginning of the piece between position and limit; empty at the end of the file
   * @throws IOException the file can not be read this way either
   */
  public ByteBuffer read(FileChannel file, long at, int count) throws IOException {
    ByteBuffer buffer = buffer();
    int skip = (int) (at & PAGE - 1);
    int length = Math.min(BYTES, down(skip + Math.min(count, BYTES) + PAGE - 1));
    int n = file.read(buffer.clear().limit(length), at - skip);
    return buffer.limit(Math.max(skip, Math.min(n, skip + count))).position(skip);
  }

  /**
   * Writes the whole pages of a piece, which may lie in several places of the ring.
   *
   * @param file writable
   * @param at where in the file the piece goes
   * @param ring in which it lies
   * @param places where in there
   * @param from its position
   * @param most its length
   * @return bytes written; 0 if it is no page, or does not go where one begins
   * @throws IOException the file can not be written this way either
   */
  int write(FileChannel file, long at, ByteBuffer ring, RingPlaces places, long from, int most)
      throws IOException {
    int length = down(Math.min(most, BYTES));
    if (length == 0 || (at & PAGE - 1) != 0) {
      return 0;
    }
    ByteBuffer buffer = buffer().clear().limit(length);
    for (int done = 0; done < length; ) {
      int run = Math.min(length - done, places.run(from + done));
      buffer.put(done, ring, places.offset(from + done), run);
      done += run;
    }
    return file.write(buffer, at);
  }

  private ByteBuffer buffer() {
    ByteBuffer buffer = pages;
    if (buffer == null) {
      buffer = ByteBuffer.allocateDirect(BYTES + PAGE).alignedSlice(PAGE);
      pages = buffer;
    }
    return buffer;
  }
}
