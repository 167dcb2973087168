package org.slipstream.netty;

import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * Sends pieces of files: the bytes of a {@link DefaultFileRegion} go from the page cache into the
 * ring, or by {@code sendfile} into the kernel's connection. Any other region writes itself; if it
 * does that with {@link FileChannel#transferTo}, the agent makes that the same way.
 *
 * <p>Netty's class keeps its file and its progress to itself (its native transports reach them from
 * C). Where they can not be reached, because Netty is a named module that is not opened to us, the
 * region writes itself, through a small buffer of the JDK.
 */
final class FileRegions {
  private static final @Nullable VarHandle FILE = find("file", FileChannel.class);
  private static final @Nullable VarHandle TRANSFERRED = find("transferred", long.class);

  private FileRegions() {}

  private static @Nullable VarHandle find(String name, Class<?> type) {
    try {
      return MethodHandles.privateLookupIn(DefaultFileRegion.class, MethodHandles.lookup())
          .findVarHandle(DefaultFileRegion.class, name, type);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }

  /**
   * Writes a piece.
   *
   * @return bytes written; 0 if there was no space
   * @throws IOException also if the file is shorter than the region
   */
  static long write(FileRegion region, StreamByteChannel target) throws IOException {
    VarHandle file = FILE;
    VarHandle transferred = TRANSFERRED;
    // Exactly this class: a subclass may have a transferTo of its own.
    if (file == null || transferred == null || region.getClass() != DefaultFileRegion.class) {
      return region.transferTo(target, region.transferred());
    }
    DefaultFileRegion known = (DefaultFileRegion) region;
    known.open();
    FileChannel channel = (FileChannel) file.get(known);
    if (channel == null) {
      return region.transferTo(target, region.transferred()); // released: it says so
    }
    long done = region.transferred();
    long position = region.position() + done;
    long left = region.count() - done;
    long size = channel.size();
    if (position + left > size) {
      throw new IOException(
          "Underlying file size " + size + " smaller than requested " + (position + left));
    }
    long written = target.move(channel, position, left, true);
    if (written < 0) {
      return region.transferTo(target, done); // a file that wants another buffer
    }
    transferred.set(known, done + written);
    return written;
  }
}
