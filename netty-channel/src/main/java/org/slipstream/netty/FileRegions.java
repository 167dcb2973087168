package org.slipstream.netty;

import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * Sends pieces of files: a {@link DefaultFileRegion} is mapped and copied from the page cache into
 * the ring; any other region writes itself.
 *
 * <p>Netty's class keeps its file and its progress to itself (its native transports reach them from
 * C). Where they can not be reached, because Netty is a named module that is not opened to us, the
 * region writes itself, through a small buffer of the JDK.
 */
final class FileRegions {
  /** A ring's worth; a longer mapping would be mapped again for nothing when the ring is full. */
  private static final long PIECE_BYTES = 256 * 1024;

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
  static long write(FileRegion region, WritableByteChannel target) throws IOException {
    VarHandle file = FILE;
    VarHandle transferred = TRANSFERRED;
    // Exactly this class: a subclass may have a transferTo of its own.
    if (file == null || transferred == null || region.getClass() != DefaultFileRegion.class) {
      return region.transferTo(target, region.transferred());
    }
    DefaultFileRegion mappable = (DefaultFileRegion) region;
    mappable.open();
    FileChannel channel = (FileChannel) file.get(mappable);
    if (channel == null) {
      return region.transferTo(target, region.transferred()); // released: it says so
    }
    long done = region.transferred();
    long written = writeMapped(channel, region.position() + done, region.count() - done, target);
    transferred.set(mappable, done + written);
    return written;
  }

  private static long writeMapped(
      FileChannel file, long position, long count, WritableByteChannel target) throws IOException {
    long size = file.size();
    if (position + count > size) {
      throw new IOException(
          "Underlying file size " + size + " smaller than requested " + (position + count));
    }
    try (Arena arena = Arena.ofConfined()) {
      ByteBuffer piece =
          file.map(FileChannel.MapMode.READ_ONLY, position, Math.min(count, PIECE_BYTES), arena)
              .asByteBuffer();
      return target.write(piece);
    }
  }
}
