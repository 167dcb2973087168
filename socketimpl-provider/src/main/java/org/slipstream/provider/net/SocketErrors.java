package org.slipstream.provider.net;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.jspecify.annotations.Nullable;

/** What {@code java.net} throws where channels throw something else. */
final class SocketErrors {
  static final String CLOSED = "Socket closed";

  private SocketErrors() {}

  /**
   * Anything but a timeout, an interrupt or an unknown host is a {@link SocketException}; the
   * unchecked exceptions of channels, too.
   */
  static IOException translate(Exception e) {
    if (e instanceof InterruptedIOException i) {
      return i;
    }
    return e instanceof UnknownHostException u ? u : socketException(e);
  }

  static SocketException socketException(Exception e) {
    return e instanceof SocketException s
        ? s
        : (SocketException) new SocketException(message(e)).initCause(e);
  }

  private static @Nullable String message(Exception e) {
    if (e instanceof ClosedChannelException) {
      return CLOSED;
    }
    if (e instanceof UnsupportedAddressTypeException) {
      // Only of an IPv6 address while the JVM is told to use IPv4 alone.
      return "IPv6 protocol family unavailable";
    }
    if (e instanceof AlreadyBoundException) {
      return "Already bound";
    }
    if (e instanceof AlreadyConnectedException) {
      return "Already connected";
    }
    return e instanceof ConnectionPendingException ? "Connection in progress" : e.getMessage();
  }
}
