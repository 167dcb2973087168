package org.slipstream.benchmarks.pages;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The file that is served: each of its bytes follows from its offset, and no two pages are alike.
 */
public final class PageFile {
  /** Offsets and lengths are multiples of it, as reads past the page cache need it. */
  public static final int PAGE = 4096;

  private static final int PIECE = 1 << 20;

  private PageFile() {}

  /** Makes the file; its bytes are on the disk and in the page cache afterwards. */
  public static void write(Path path, long size) throws IOException {
    ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
    try (FileChannel file =
        FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
      for (long at = 0; at < size; at += piece.limit()) {
        piece.clear().limit((int) Math.min(PIECE, size - at));
        for (int i = 0; i < piece.limit(); i += Long.BYTES) {
          piece.putLong(i, word(at + i));
        }
        while (piece.hasRemaining()) {
          file.write(piece);
        }
      }
      file.force(true);
    }
  }

  /**
   * Opens a file for reads.
   *
   * @param direct past the page cache, with O_DIRECT
   * @throws IOException also if the file system refuses that
   */
  public static FileChannel open(Path path, boolean direct) throws IOException {
    return direct
        ? FileChannel.open(path, StandardOpenOption.READ, direct())
        : FileChannel.open(path, StandardOpenOption.READ);
  }

  /** By name: its package is exported, but javac warns of any use of it. */
  private static OpenOption direct() throws IOException {
    try {
      for (Object option :
          Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
        if (option.toString().equals("DIRECT")) {
          return (OpenOption) option;
        }
      }
      throw new IOException("this JDK has no ExtendedOpenOption.DIRECT");
    } catch (ClassNotFoundException none) {
      throw new IOException("this JDK has no ExtendedOpenOption.DIRECT", none);
    }
  }

  /**
   * Compares bytes with those of the file.
   *
   * @param bytes between position and limit, which stay
   * @param offset of the first of them in the file
   * @return the offset of the first that differs, or -1
   */
  public static long difference(ByteBuffer bytes, long offset) {
    int at = bytes.position();
    while (at < bytes.limit()) {
      long here = offset + at - bytes.position();
      int inWord = (int) (here % Long.BYTES);
      if (inWord == 0 && bytes.limit() - at >= Long.BYTES && bytes.getLong(at) == word(here)) {
        at += Long.BYTES;
      } else if (bytes.get(at) == byteOf(here - inWord, inWord)) {
        at++;
      } else {
        return here;
      }
    }
    return -1;
  }

  private static byte byteOf(long wordOffset, int index) {
    return (byte) (word(wordOffset) >>> (Long.SIZE - Byte.SIZE * (index + 1)));
  }

  /** The finalizer of SplitMix64: one bit of the offset changes half of the word. */
  private static long word(long offset) {
    long z = offset * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
