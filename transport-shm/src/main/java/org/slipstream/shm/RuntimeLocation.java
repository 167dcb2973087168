package org.slipstream.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where the runtime directory of this user is. Asked again and again by a running process: the
 * login manager makes {@code /run/user/UID} at the first login of a user and removes it at the last
 * logout, and processes that were started before and after must meet.
 *
 * @param runUsers the parent of what the login manager makes for each user: {@code /run/user}
 * @param sharedMemory the tmpfs of the machine: {@code /dev/shm}
 * @param uid of this process
 */
record RuntimeLocation(Path runUsers, Path sharedMemory, int uid) {

  /** The user of this process, which never changes; -1 until it is known. Any thread writes it. */
  private static volatile int ownUid = -1;

  /** The user of this process. */
  static int uidOfProcess() throws IOException {
    int known = ownUid;
    if (known < 0) {
      known = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
      ownUid = known;
    }
    return known;
  }

  /** Of this machine, for this user. */
  static RuntimeLocation here() throws IOException {
    return new RuntimeLocation(Path.of("/run/user"), Path.of("/dev/shm"), uidOfProcess());
  }

  /**
   * The directory that is to be used now.
   *
   * @param configured the value of {@code slipstream.dir}, or null
   * @param xdg the value of {@code XDG_RUNTIME_DIR}, or null
   * @return the directory, which need not exist
   * @throws IOException if there is no place for it
   */
  Path find(@Nullable String configured, @Nullable String xdg) throws IOException {
    if (configured != null) {
      if (configured.isBlank()) {
        throw new IOException("slipstream.dir= is empty; leave it out for the default");
      }
      return Path.of(configured).toAbsolutePath();
    }
    // The XDG specification: a relative path is invalid and is ignored.
    if (xdg != null && Path.of(xdg).isAbsolute() && isOwn(Path.of(xdg))) {
      return Path.of(xdg, "slipstream");
    }
    // A program that no login started does not know the variable.
    Path ofLogin = runUsers.resolve(Integer.toString(uid));
    if (isOwn(ofLogin)) {
      return ofLogin.resolve("slipstream");
    }
    if (!Files.isDirectory(sharedMemory)) {
      throw new IOException(
          "there is no " + sharedMemory + "; set slipstream.dir to a private directory on a tmpfs");
    }
    return sharedMemory.resolve("slipstream-" + uid);
  }

  /** {@code sudo} and {@code su} may leave the variable of another user behind. */
  private boolean isOwn(Path directory) {
    try {
      return Files.isDirectory(directory)
          && (int) Files.getAttribute(directory, "unix:uid") == uid
          && Files.isWritable(directory);
    } catch (IOException e) {
      return false; // it was removed at this moment
    }
  }
}
