package org.slipstream.rdma.verbs;

import java.io.IOException;

/** A function of a native library failed. */
public final class NativeCallException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Operation not permitted. */
  static final int EPERM = 1;

  /** No memory, or more than may be locked. */
  static final int ENOMEM = 12;

  /** Permission denied. */
  static final int EACCES = 13;

  private final int errno;

  /**
   * Makes one.
   *
   * @param function that failed
   * @param errno what it said
   */
  public NativeCallException(String function, int errno) {
    super(function + " failed: " + sentence(errno));
    this.errno = errno;
  }

  /**
   * What C says.
   *
   * @return an errno value
   */
  public int errno() {
    return errno;
  }

  /**
   * Whether it failed because there is no device, or none with this address.
   *
   * @return false for every other reason
   */
  public boolean isNoDevice() {
    return switch (errno) {
      case 2, 6, 19, 99 -> true; // ENOENT, ENXIO, ENODEV, EADDRNOTAVAIL
      default -> false;
    };
  }

  /**
   * Whether there is no memory, or no more may be locked.
   *
   * @return false for every other reason
   */
  public boolean isNoMemory() {
    return errno == ENOMEM;
  }

  private static String sentence(int errno) {
    return switch (errno) {
      case EPERM, EACCES -> "no permission (errno " + errno + "); see /dev/infiniband";
      case ENOMEM -> "no memory, or RLIMIT_MEMLOCK is reached (errno 12); see ulimit -l";
      case 2, 6, 19 -> "no such device (errno " + errno + ")";
      case 98 -> "the address is in use (errno 98)";
      case 99 -> "no RDMA device has this address (errno 99)";
      default -> "errno " + errno;
    };
  }
}
