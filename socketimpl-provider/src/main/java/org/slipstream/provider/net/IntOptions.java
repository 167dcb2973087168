package org.slipstream.provider.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import org.jspecify.annotations.Nullable;

/**
 * The numbered options of {@link SocketOptions} in terms of a channel's, with the JDK's words for
 * bad values. SO_TIMEOUT, SO_OOBINLINE and SO_BINDADDR are the caller's.
 */
final class IntOptions {
  /** Sets an option of a channel. */
  interface Setter {
    <T> void set(SocketOption<T> name, T value) throws IOException;
  }

  /** Reads an option of a channel. */
  interface Getter {
    <T> T get(SocketOption<T> name) throws IOException;
  }

  private IntOptions() {}

  static void set(Setter to, int option, @Nullable Object value) throws IOException {
    switch (option) {
      case SocketOptions.SO_LINGER ->
          to.set(
              StandardSocketOptions.SO_LINGER,
              Boolean.FALSE.equals(value) ? -1 : number(value, "SO_LINGER"));
      case SocketOptions.IP_TOS -> to.set(StandardSocketOptions.IP_TOS, number(value, "IP_TOS"));
      case SocketOptions.TCP_NODELAY ->
          to.set(StandardSocketOptions.TCP_NODELAY, truth(value, "TCP_NODELAY"));
      case SocketOptions.SO_SNDBUF ->
          to.set(StandardSocketOptions.SO_SNDBUF, positive(value, "SO_SNDBUF"));
      case SocketOptions.SO_RCVBUF ->
          to.set(StandardSocketOptions.SO_RCVBUF, positive(value, "SO_RCVBUF"));
      case SocketOptions.SO_KEEPALIVE ->
          to.set(StandardSocketOptions.SO_KEEPALIVE, truth(value, "SO_KEEPALIVE"));
      case SocketOptions.SO_REUSEADDR ->
          to.set(StandardSocketOptions.SO_REUSEADDR, truth(value, "SO_REUSEADDR"));
      case SocketOptions.SO_REUSEPORT ->
          to.set(StandardSocketOptions.SO_REUSEPORT, truth(value, "SO_REUSEPORT"));
      default -> throw new SocketException("Unknown option " + option);
    }
  }

  static Object get(Getter from, int option) throws IOException {
    return switch (option) {
      case SocketOptions.SO_LINGER -> {
        int seconds = from.get(StandardSocketOptions.SO_LINGER);
        yield seconds < 0 ? (Object) false : (Object) seconds;
      }
      case SocketOptions.IP_TOS -> from.get(StandardSocketOptions.IP_TOS);
      case SocketOptions.TCP_NODELAY -> from.get(StandardSocketOptions.TCP_NODELAY);
      case SocketOptions.SO_SNDBUF -> from.get(StandardSocketOptions.SO_SNDBUF);
      case SocketOptions.SO_RCVBUF -> from.get(StandardSocketOptions.SO_RCVBUF);
      case SocketOptions.SO_KEEPALIVE -> from.get(StandardSocketOptions.SO_KEEPALIVE);
      case SocketOptions.SO_REUSEADDR -> from.get(StandardSocketOptions.SO_REUSEADDR);
      case SocketOptions.SO_REUSEPORT -> from.get(StandardSocketOptions.SO_REUSEPORT);
      default -> throw new SocketException("Unknown option " + option);
    };
  }

  /** What SO_BINDADDR stands for. */
  static InetAddress localAddress(NetworkChannel of) throws IOException {
    return of.getLocalAddress() instanceof InetSocketAddress local
        ? local.getAddress()
        : new InetSocketAddress(0).getAddress();
  }

  static boolean truth(@Nullable Object value, String name) throws SocketException {
    if (value instanceof Boolean b) {
      return b;
    }
    throw new SocketException("Bad value for " + name);
  }

  static int number(@Nullable Object value, String name) throws SocketException {
    if (value instanceof Integer i) {
      return i;
    }
    throw new SocketException("Bad value for " + name);
  }

  private static int positive(@Nullable Object value, String name) throws SocketException {
    int i = number(value, name);
    if (i <= 0) {
      throw new SocketException(name + " <= 0");
    }
    return i;
  }
}
