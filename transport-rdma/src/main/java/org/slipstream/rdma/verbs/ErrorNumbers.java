package org.slipstream.rdma.verbs;

/** Values of {@code errno} that mean something to us, named as in C. */
public final class ErrorNumbers {
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int EINTR = 4;
  public static final int ENXIO = 6;
  public static final int EBADF = 9;
  public static final int EAGAIN = 11;
  public static final int ENOMEM = 12;
  public static final int EACCES = 13;
  public static final int ENODEV = 19;
  public static final int EADDRINUSE = 98;
  public static final int EADDRNOTAVAIL = 99;
  public static final int ETIMEDOUT = 110;

  private ErrorNumbers() {}
}
