package org.slipstream.rdma.verbs;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slipstream.transport.LazyLogger;

/**
 * The two files by which a process holds a device. Kernels wait for them to be closed before a
 * device goes, unless its driver can take the device away from under its users (Soft-RoCE can not);
 * and librdmacm keeps them open as long as it knows no other device. So they are exchanged for a
 * file that means nothing: the descriptors stay the library's, which may close them at any time.
 */
public final class HeldDevice {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.rdma");
  private static final Call DUPLICATE = Call.of(NativeLibrary.c(), "dup3");
  static final int CLOSE_ON_EXEC = 0x80000;

  /** What the kernel says behind the name of a file that has none any more. */
  private static final String DELETED = " (deleted)";

  private final int command;
  private final int async;
  private final Path commandFile;
  private final Path asyncFile;

  HeldDevice(int command, int async) {
    this.command = command;
    this.async = async;
    this.commandFile = fileOf(command);
    this.asyncFile = fileOf(async);
  }

  /**
   * Lets go of the device. Everything that was made on it has been destroyed before. Event thread
   * only.
   */
  public void release() {
    exchange(command, commandFile);
    exchange(async, asyncFile);
  }

  private static void exchange(int descriptor, Path file) {
    // The library may have closed it: then the number may be another owner's by now.
    if (file.toString().isEmpty() || !fileOf(descriptor).equals(file)) {
      return;
    }
    try {
      DUPLICATE.countOf(Poller.idleDescriptor(), descriptor, CLOSE_ON_EXEC);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "The device is kept", e);
    }
  }

  /** Where a descriptor leads, whether that has a name still or not; empty if nowhere. */
  private static Path fileOf(int descriptor) {
    try {
      Path link = Path.of("/proc/self/fd", Integer.toString(descriptor));
      String name = Files.readSymbolicLink(link).toString();
      return Path.of(
          name.endsWith(DELETED) ? name.substring(0, name.length() - DELETED.length()) : name);
    } catch (IOException e) {
      return Path.of("");
    }
  }
}
