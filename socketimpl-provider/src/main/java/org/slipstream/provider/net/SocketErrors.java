package org.slipstream.provider.net;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;

/** What {@code java.net} throws where channels throw something else. */
final class SocketErrors {
  static final String CLOSED = "Socket closed";

  private SocketErrors() {}

  /** Anything but a timeout, an interrupt or an unknown host is a {@link SocketException}. */
  static IOException translate(IOException e) {
    if (e instanceof SocketException
        || e instanceof InterruptedIOException
        || e instanceof UnknownHostException) {
      return e;
    }
    String message = e instanceof ClosedChannelException ? CLOSED : e.getMessage();
    return (SocketException) new SocketException(message).initCause(e);
  }

  static SocketException socketException(Exception e) {
    if (e instanceof SocketException s) {
      return s;
    }
    String message = e instanceof ClosedChannelException ? CLOSED : e.getMessage();
    return (SocketException) new SocketException(message).initCause(e);
  }
}
