package org.slipstream.rdma.verbs;

import static org.slipstream.rdma.verbs.ErrorNumbers.EACCES;
import static org.slipstream.rdma.verbs.ErrorNumbers.EADDRINUSE;
import static org.slipstream.rdma.verbs.ErrorNumbers.EADDRNOTAVAIL;
import static org.slipstream.rdma.verbs.ErrorNumbers.ENODEV;
import static org.slipstream.rdma.verbs.ErrorNumbers.ENOENT;
import static org.slipstream.rdma.verbs.ErrorNumbers.ENOMEM;
import static org.slipstream.rdma.verbs.ErrorNumbers.ENXIO;
import static org.slipstream.rdma.verbs.ErrorNumbers.EPERM;

import java.io.IOException;

/** A function of a native library failed. */
public final class NativeCallException extends IOException {
  private static final long serialVersionUID = 1L;

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
      case ENOENT, ENXIO, ENODEV, EADDRNOTAVAIL -> true;
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
      case ENOENT, ENXIO, ENODEV -> "no such device (errno " + errno + ")";
      case EADDRINUSE -> "the address is in use (errno 98)";
      case EADDRNOTAVAIL -> "no RDMA device has this address, or its port is in use (errno 99)";
      default -> "errno " + errno;
    };
  }
}
