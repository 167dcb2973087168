package org.slipstream.shm;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import org.slipstream.transport.MemoryAccess;
import org.slipstream.transport.OwnMemory;
import org.slipstream.transport.Session;

/**
 * One-sided memory of this process: a file in its directory, which each process that is told its
 * number can map. Unlike a slab it keeps its name: it has any number of peers, now and later.
 *
 * <pre>
 *   descriptor: index(4)        "region-INDEX in my directory"
 * </pre>
 */
final class OwnRegion implements OwnMemory {
  private static final int ZEROS = 1 << 20;

  /** Bytes of a descriptor. */
  static final int DESCRIPTOR_BYTES = Integer.BYTES;

  private final int index;
  private final Path path;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;

  /**
   * Makes the file, with storage behind all of it: without that, a store could find the file system
   * full, which is a fault.
   */
  OwnRegion(int index, Path path, long bytes) throws IOException {
    this.index = index;
    this.path = path;
    Path folder = Objects.requireNonNull(path.getParent());
    try {
      long usable = left(path);
      if (usable < bytes) { // not found out by filling what other programs need, too
        throw new IOException("the file system has " + usable + " bytes left");
      }
      Files.createFile(
          path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      // Not through a FileChannel: an interrupt would close it.
      try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
        byte[] zeros = new byte[(int) Math.min(ZEROS, bytes)];
        for (long at = 0; at < bytes; at += zeros.length) {
          file.write(zeros, 0, (int) Math.min(zeros.length, bytes - at));
        }
        memory = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
      }
    } catch (IOException | OutOfMemoryError e) {
      RuntimeDirectory.delete(path);
      arena.close();
      throw new IOException(
          "no memory for a region of " + bytes + " bytes in " + folder + ": " + e.getMessage(), e);
    }
  }

  @Override
  public MemorySegment segment() {
    return memory;
  }

  @Override
  public void describe(Session to, String grant, MemoryAccess access, ByteBuffer out) {
    out.putInt(index);
  }

  /** The peer has its own mapping. */
  @Override
  public boolean revoke(Session from, String grant) {
    return false;
  }

  @Override
  public synchronized void close() {
    RuntimeDirectory.delete(path);
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }

  /** How much memory there is for regions with that path. */
  static long left(Path path) throws IOException {
    return Files.getFileStore(Objects.requireNonNull(path.getParent())).getUsableSpace();
  }

  /** Maps the region of a peer; the size is the peer's word, and has to be that of the file. */
  static MemorySegment map(Path path, long bytes, boolean writable, Arena arena)
      throws IOException {
    if (bytes <= 0 || !Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(path + " is no region of " + bytes + " bytes");
    }
    try (FileChannel channel = open(path, writable)) {
      if (channel.size() != bytes) {
        throw new IOException(path + " has " + channel.size() + " bytes, not " + bytes);
      }
      return channel.map(
          writable ? FileChannel.MapMode.READ_WRITE : FileChannel.MapMode.READ_ONLY,
          0,
          bytes,
          arena);
    } catch (OutOfMemoryError e) {
      throw new IOException("no address space for a region of " + bytes + " bytes", e);
    }
  }

  private static FileChannel open(Path path, boolean writable) throws IOException {
    return writable
        ? FileChannel.open(
            path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)
        : FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
  }
}
