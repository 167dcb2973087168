package org.slipstream.core.ring;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A file past the page cache: it takes whole pages only, in aligned memory, as the JDK's own. */
final class PagedFile extends OtherFile {
  private static final int PAGE = 4096;

  private final FileChannel file;

  /** How many reads and writes there were, refused ones included. */
  int calls;

  int refused;

  PagedFile(FileChannel file) {
    this.file = file;
  }

  private void examine(ByteBuffer buffer, long position) throws IOException {
    calls++;
    if (position % PAGE != 0
        || buffer.remaining() % PAGE != 0
        || buffer.alignmentOffset(buffer.position(), PAGE) != 0) {
      refused++;
      throw new IOException("not a multiple of the block size");
    }
  }

  @Override
  public int read(ByteBuffer dst, long position) throws IOException {
    examine(dst, position);
    return file.read(dst, position);
  }

  @Override
  public int write(ByteBuffer src, long position) throws IOException {
    examine(src, position);
    return file.write(src, position);
  }
}
