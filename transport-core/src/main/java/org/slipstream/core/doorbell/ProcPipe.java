package org.slipstream.core.doorbell;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Pipes as {@code /proc} shows them. */
final class ProcPipe {
  private static final Path PROC = Path.of("/proc");
  private static final String BEFORE = "pipe:[";
  private static final String AFTER = "]";

  private ProcPipe() {}

  /** Our own number, as in the {@code /proc} that we see. */
  static long ownPid() throws IOException {
    return parse(Files.readSymbolicLink(PROC.resolve("self")).toString());
  }

  static Path of(long pid, int descriptor) {
    return PROC.resolve(Long.toString(pid)).resolve("fd").resolve(Integer.toString(descriptor));
  }

  /** The inode of a pipe; fails if the descriptor is none, or not a pipe's. */
  static long inode(Path descriptor) throws IOException {
    String target = Files.readSymbolicLink(descriptor).toString();
    if (!target.startsWith(BEFORE) || !target.endsWith(AFTER)) {
      throw new IOException(descriptor + " is no pipe but " + target);
    }
    return parse(target.substring(BEFORE.length(), target.length() - AFTER.length()));
  }

  private static long parse(String number) throws IOException {
    try {
      return Long.parseLong(number);
    } catch (NumberFormatException e) {
      throw new IOException("/proc says " + number + " where a number was expected", e);
    }
  }
}
