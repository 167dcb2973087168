package org.slipstream.provider.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The JDK asks the {@link ProxySelector} for a SOCKS proxy before each connect, but only in its own
 * implementation, which a factory displaces. A socket that has to go through a proxy is the JDK's
 * own, and plain.
 *
 * <p>What this throws is what the JDK's own {@code SocksSocketImpl} throws.
 */
final class SocksRoute {
  private static final String FAILED = "Failed to select a proxy";

  /**
   * Punctuation that stands for itself in the host part of the URI that a selector is asked for.
   */
  private static final String UNESCAPED = "-_.!~*'():@&+$,/";

  /** Prepares a socket that goes through a proxy. */
  @FunctionalInterface
  interface Preparation {
    void prepare(Socket socket) throws IOException;
  }

  /** Where a socket was to go, and how a selector is asked for that. */
  private record Question(String host, int port, URI uri) {}

  /**
   * The last one: many programs connect to one server again and again, and to make a URI takes
   * longer than all else of a connect but its system calls. Any thread; a race costs a URI.
   */
  private static volatile @Nullable Question last;

  private SocksRoute() {}

  /**
   * Connects through the first proxy that answers, if the selector names one.
   *
   * @param deadline by {@link System#nanoTime}; 0 = none
   * @param bypass whether the program wants none
   * @return a connected socket; null if the way is direct
   */
  static @Nullable Socket connect(
      InetSocketAddress to, long deadline, ProxyBypass bypass, Preparation preparation)
      throws IOException {
    ProxySelector selector = ProxySelector.getDefault();
    if (selector == null || (!isOfJdk(selector) && bypass.isWanted())) {
      return null;
    }
    URI uri = uri(to);
    Iterator<Proxy> proxies;
    try {
      proxies = selector.select(uri).iterator();
    } catch (IllegalArgumentException e) {
      throw new IOException(FAILED, e);
    }
    IOException last = null;
    while (proxies != null && proxies.hasNext()) {
      Proxy proxy = proxies.next();
      if (proxy == null || proxy.type() != Proxy.Type.SOCKS || bypass.isWanted()) {
        return null;
      }
      if (!(proxy.address() instanceof InetSocketAddress)) {
        throw new SocketException("Unknown address type for proxy: " + proxy);
      }
      Socket socket = new Socket(proxy);
      try {
        preparation.prepare(socket);
        socket.connect(to, remainingMillis(deadline));
        return socket;
      } catch (IOException e) {
        socket.close();
        last = unreachable(e);
        if (last == null) {
          throw e; // the proxy answered, and refused
        }
        selector.connectFailed(uri, proxy.address(), last);
      }
    }
    if (last != null) {
      throw new SocketException("Can't connect to SOCKS proxy:" + last.getMessage());
    }
    return null;
  }

  /** Only the JDK's own may be asked for a socket that bypasses it: a program's own may tell. */
  private static boolean isOfJdk(ProxySelector selector) {
    return selector.getClass().getName().equals("sun.net.spi.DefaultProxySelector");
  }

  /**
   * Why the proxy itself was not reached: the JDK wraps that, and nothing else, in an exception
   * with a cause.
   */
  private static @Nullable IOException unreachable(IOException e) {
    if (e instanceof SocketTimeoutException) {
      return null;
    }
    return e.getCause() instanceof IOException cause ? cause : null;
  }

  private static int remainingMillis(long deadline) throws SocketTimeoutException {
    if (deadline == 0) {
      return 0;
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    if (millis <= 0) {
      throw new SocketTimeoutException();
    }
    return (int) Math.min(millis, Integer.MAX_VALUE);
  }

  /** Parsed from text as in the JDK, so that a name that is no host of a URI passes, too. */
  private static URI uri(InetSocketAddress to) throws IOException {
    String host = to.getHostString();
    Question before = last;
    if (before != null && before.port == to.getPort() && before.host.equals(host)) {
      return before.uri;
    }
    try {
      URI uri =
          new URI(
              "socket://"
                  + (isIpv6Literal(host) ? "[" + host + "]" : escaped(host))
                  + ":"
                  + to.getPort());
      last = new Question(host, to.getPort(), uri);
      return uri;
    } catch (URISyntaxException e) {
      throw new IOException(FAILED, e);
    }
  }

  private static boolean isIpv6Literal(String host) {
    if (host.indexOf(':') < 0 || host.startsWith("[")) {
      return false;
    }
    int scope = host.indexOf('%');
    try {
      InetAddress.ofLiteral(scope < 0 ? host : host.substring(0, scope));
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static String escaped(String host) {
    StringBuilder text = new StringBuilder(host.length());
    for (byte b : host.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xFF);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (letter || UNESCAPED.indexOf(c) >= 0) {
        text.append(c);
      } else {
        text.append(String.format("%%%02x", (int) c));
      }
    }
    return text.toString();
  }
}
