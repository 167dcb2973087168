package org.slipstream.core.ring;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * Reads of files into a ring: the kernel copies from its page cache straight into the peer's window
 * (or our staging copy of it), and no byte passes through a buffer of the JDK or of ours.
 *
 * <p>What was read is published afterwards. Until then it lies behind the position, where no reader
 * looks; so a read that fails half way has changed nothing.
 *
 * <p>Guarded by the write lock; allocates nothing after the first piece.
 */
public final class FileFill {
  /** The file ends at or before the position that was asked for. */
  public static final int END = -1;

  /** The file can not be read: by another kind of buffer perhaps. */
  public static final int UNREADABLE = -2;

  /**
   * One system call is worth several of the pieces that a copy is cut into; twice as long makes no
   * difference any more, but the reader would wait for it.
   */
  static final int PIECE_BYTES = 64 * 1024;

  private final int largest;

  private final ByteBuffer ring;

  /** For the limits, of which the producer's own must have none. Most streams see no file. */
  private @Nullable ByteBuffer view;

  private final WholePages pages = new WholePages();

  /**
   * Which file was read in whole pages the last time, by its identity hash; 0: none. Another file
   * with that hash is read in whole pages, too, which is slower and nothing else.
   */
  private int paged;

  /**
   * Makes one.
   *
   * @param ring in which nothing can be stored if it is released
   * @param size of the ring, a power of two
   * @param bulk from how many bytes on the medium wants a piece whole
   */
  FileFill(ByteBuffer ring, int size, int bulk) {
    this.ring = ring;
    this.largest =
        bulk > size
            ? Math.min(PIECE_BYTES, size / 4)
            : Math.max(bulk, size / 4); // credit: quarters
  }

  /** How much of what is left becomes one piece. */
  int wanted(long left) {
    return (int) Math.min(left, largest);
  }

  /**
   * Reads.
   *
   * @param room behind the offset, side by side
   * @return bytes read; 0 if there is no room; or {@link #END} or {@link #UNREADABLE}
   * @throws ClosedChannelException the file was closed, or the thread interrupted
   */
  int read(FileChannel file, long at, int offset, int room) throws IOException {
    if (room == 0) {
      return 0;
    }
    int end = offset + room;
    if (paged != 0 && paged == System.identityHashCode(file)) {
      int whole = WholePages.begin(ring, offset, at) ? WholePages.down(end - offset) : 0;
      if (whole == 0) {
        return UNREADABLE;
      }
      end = offset + whole;
    }
    ByteBuffer piece = view;
    if (piece == null) {
      piece = ring.duplicate();
      view = piece;
    }
    try {
      int n = file.read(piece.clear().limit(end).position(offset), at);
      return n > 0 ? n : END;
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      // A window that the peer has shortened is an error of the read to the kernel, and a fault to
      // us: the stream has to hear of it. The byte is behind the position.
      ring.put(offset, (byte) 0);
      return UNREADABLE;
    }
  }

  /**
   * Reads what {@link #read} said is {@link #UNREADABLE}: perhaps the file takes whole pages only.
   *
   * @param room how many bytes at most; positive
   * @return the bytes, none at the end of the file; or null if the file can not be read at all
   * @throws ClosedChannelException the file was closed, or the thread interrupted
   */
  @Nullable ByteBuffer readPages(FileChannel file, long at, int room) throws IOException {
    try {
      ByteBuffer read = pages.read(file, at, room);
      paged = System.identityHashCode(file);
      return read;
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      return null;
    }
  }
}
