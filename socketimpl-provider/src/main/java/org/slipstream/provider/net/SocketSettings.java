package org.slipstream.provider.net;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.StandardSocketOptions;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.Stream;

/**
 * The options of a socket, by name and by number. They are the kernel connection's, but for the
 * timeout, which is the reader's, and TCP_NODELAY, which the stream remembers; a socket that goes
 * through a proxy answers for itself.
 */
final class SocketSettings {
  private final SocketState socket;

  /** What was set before the connect: a socket through a proxy, which is made then, gets it too. */
  private final Queue<Choice<?>> choices = new ConcurrentLinkedQueue<>();

  /** Any thread. */
  private volatile int timeout;

  /** SO_LINGER was set, to whatever value. Any thread. */
  private volatile boolean lingerWasSet;

  /** An option and its value. */
  private record Choice<T>(SocketOption<T> name, T value) {
    void applyTo(Socket other) throws IOException {
      other.setOption(name, value);
    }
  }

  SocketSettings(SocketState socket) {
    this.socket = socket;
  }

  /** SO_TIMEOUT; 0 = none. */
  int timeoutMillis() {
    return timeout;
  }

  /** There is a connection, and no proxy. */
  void connected() {
    // Not clear, which begins with a lambda of the JDK: some milliseconds of the first connect.
    while (!choices.isEmpty()) {
      choices.poll();
    }
  }

  /**
   * Whether a close resets the connection: SO_LINGER is on, with a time of 0. The kernel is asked
   * only if the program has set it, which few do.
   */
  boolean isClosedByReset() throws IOException {
    return lingerWasSet && socket.kernelSide().getOption(StandardSocketOptions.SO_LINGER) == 0;
  }

  void copyTo(Socket other) throws IOException {
    for (Choice<?> choice : choices) {
      choice.applyTo(other);
    }
    other.setOOBInline(socket.kernelSide().socket().getOOBInline());
    other.setSoTimeout(timeout);
  }

  // -- by name ---------------------------------------------------------------------------------

  Set<SocketOption<?>> supported() {
    SocketConnection a = socket.tcp();
    if (a == null) {
      return Set.of();
    }
    Set<SocketOption<?>> options = new HashSet<>(a.supportedOptions());
    options.removeIf(SocketSettings::isOfAdaptor);
    return Set.copyOf(options);
  }

  /** The JDK's own, for the socket view of a channel. */
  private static boolean isOfAdaptor(SocketOption<?> name) {
    return name.name().equals("SO_OOBINLINE");
  }

  <T> void set(SocketOption<T> name, T value) throws IOException {
    Socket p = socket.proxied();
    if (p != null) {
      p.setOption(name, value);
      return;
    }
    check(name);
    if (!name.type().isInstance(value)) {
      throw new IllegalArgumentException("Invalid value '" + value + "'");
    }
    Stream s = socket.open();
    if (StandardSocketOptions.TCP_NODELAY.equals(name) && value instanceof Boolean on) {
      s.noDelay().choose(on);
    } else {
      if (StandardSocketOptions.SO_LINGER.equals(name)) {
        lingerWasSet = true;
      }
      socket.kernelSide().setOption(name, value);
    }
    if (!socket.isConnected()) {
      choices.add(new Choice<>(name, value));
    }
  }

  <T> T get(SocketOption<T> name) throws IOException {
    Socket p = socket.proxied();
    if (p != null) {
      return p.getOption(name);
    }
    check(name);
    Stream s = socket.open();
    return StandardSocketOptions.TCP_NODELAY.equals(name)
        ? name.type().cast(s.noDelay().chosen())
        : socket.kernelSide().getOption(name);
  }

  private void check(SocketOption<?> name) throws SocketException {
    // Without a set of its own: most sockets of short connections set an option.
    if (!socket.kernelSide().supportedOptions().contains(name) || isOfAdaptor(name)) {
      throw new UnsupportedOperationException("'" + name + "' not supported");
    }
  }

  // -- by number -------------------------------------------------------------------------------

  void set(int option, @Nullable Object value) throws SocketException {
    Socket p = socket.proxied();
    if (p == null) {
      socket.open();
    }
    try {
      switch (option) {
        case SocketOptions.SO_TIMEOUT -> {
          int millis = IntOptions.number(value, "SO_TIMEOUT");
          if (millis < 0) {
            throw new IllegalArgumentException("timeout < 0");
          }
          timeout = millis;
          if (p != null) {
            p.setSoTimeout(millis);
          }
        }
        case SocketOptions.SO_OOBINLINE -> {
          boolean on = IntOptions.truth(value, "SO_OOBINLINE");
          if (p != null) {
            p.setOOBInline(on);
          } else {
            socket.kernelSide().socket().setOOBInline(on);
            socket.open().urgentData().inlineChanged(on);
          }
        }
        default -> IntOptions.set(this::set, option, value);
      }
    } catch (IOException | IllegalArgumentException | UnsupportedOperationException e) {
      throw SocketErrors.socketException(e);
    }
  }

  Object get(int option) throws SocketException {
    Socket p = socket.proxied();
    if (p == null) {
      socket.open();
    }
    try {
      return switch (option) {
        case SocketOptions.SO_TIMEOUT -> timeout;
        case SocketOptions.SO_OOBINLINE ->
            p != null ? p.getOOBInline() : socket.kernelSide().socket().getOOBInline();
        case SocketOptions.SO_BINDADDR ->
            p != null ? p.getLocalAddress() : IntOptions.localAddress(socket.kernelSide());
        default -> IntOptions.get(this::get, option);
      };
    } catch (IOException | IllegalArgumentException | UnsupportedOperationException e) {
      throw SocketErrors.socketException(e);
    }
  }
}
