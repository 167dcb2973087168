package org.slipstream.provider.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The JDK asks the {@link ProxySelector} for a SOCKS proxy before each connect, but only in its own
 * implementation, which a factory displaces. A socket that has to go through a proxy is the JDK's
 * own, and plain.
 */
final class SocksRoute {

  /** Prepares a socket that goes through a proxy. */
  @FunctionalInterface
  interface Preparation {
    void prepare(Socket socket) throws IOException;
  }

  private SocksRoute() {}

  /**
   * Connects through the first proxy that works, if the selector names one.
   *
   * @return a connected socket; null if the way is direct
   */
  static @Nullable Socket connect(InetSocketAddress to, int millis, Preparation preparation)
      throws IOException {
    ProxySelector selector = ProxySelector.getDefault();
    if (selector == null) {
      return null;
    }
    URI uri = uri(to);
    Iterator<Proxy> proxies;
    try {
      proxies = selector.select(uri).iterator();
    } catch (IllegalArgumentException e) {
      throw new IOException("Failed to select a proxy", e);
    }
    IOException last = null;
    while (proxies.hasNext()) {
      Proxy proxy = proxies.next();
      if (proxy == null || proxy.type() != Proxy.Type.SOCKS) {
        return null;
      }
      Socket socket = new Socket(proxy);
      try {
        preparation.prepare(socket);
        socket.connect(to, millis);
        return socket;
      } catch (IOException e) {
        socket.close();
        selector.connectFailed(uri, proxy.address(), e);
        last = e;
      }
    }
    if (last != null) {
      throw new SocketException("Can't connect to SOCKS proxy:" + last.getMessage());
    }
    return null;
  }

  private static URI uri(InetSocketAddress to) throws IOException {
    String host = to.getHostString();
    if (host.indexOf(':') >= 0) {
      host = "[" + host + "]";
    }
    try {
      return new URI("socket", null, host, to.getPort(), null, null, null);
    } catch (URISyntaxException e) {
      throw new IOException("Failed to select a proxy", e);
    }
  }
}
