package org.slipstream.it.contracts;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URL;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Sockets and the JVM's proxy selector. */
public final class ProxyProgram {
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  private ProxyProgram() {}

  /** A selector that says what it is asked. */
  private static final class Told extends ProxySelector {
    private final Function<URI, List<Proxy>> answer;

    Told(Function<URI, List<Proxy>> answer) {
      this.answer = answer;
    }

    @Override
    public List<Proxy> select(URI uri) {
      Probe.see("  asked for", () -> uri + " host " + uri.getHost());
      return answer.apply(uri);
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException failure) {
      Probe.see("  told of a failure", () -> uri + " " + address + " " + Probe.describe(failure));
    }
  }

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    InetSocketAddress dead;
    try (ServerSocket gone = new ServerSocket(0, 1, HERE)) {
      dead = new InetSocketAddress(HERE, gone.getLocalPort());
    }
    Proxy socks = new Proxy(Proxy.Type.SOCKS, dead);
    try (ServerSocket listener = new ServerSocket(0, 50, HERE)) {
      InetSocketAddress to = new InetSocketAddress(HERE, listener.getLocalPort());
      constructors(to, socks);
      answers(to, socks);
      hosts(to);
    }
    fetchingSelector();
    System.exit(0); // whatever is left open
  }

  private static void connect(String what, Socket socket, SocketAddress to) {
    Probe.see(
        what,
        () -> {
          try (socket) {
            socket.connect(to, 5_000);
            return "connected to " + socket.getInetAddress();
          } finally {
            Probe.see("  closed", socket::isClosed);
          }
        });
  }

  private static void constructors(InetSocketAddress to, Proxy socks) throws IOException {
    ProxySelector.setDefault(new Told(uri -> List.of(socks)));
    connect("NO_PROXY", new Socket(Proxy.NO_PROXY), to);
    connect("no argument", new Socket(), to);
    connect("SOCKS", new Socket(socks), to);
    Probe.see("host and port", () -> new Socket(HERE, to.getPort()));
    Probe.deed(
        "bound NO_PROXY",
        () -> {
          try (Socket socket = new Socket(Proxy.NO_PROXY)) {
            socket.bind(new InetSocketAddress(HERE, 0));
            socket.setTcpNoDelay(true);
            socket.connect(to);
          }
        });
    connect(
        "NO_PROXY, a name that does not exist",
        new Socket(Proxy.NO_PROXY),
        InetSocketAddress.createUnresolved("nowhere.invalid", 1));
  }

  private static void answers(InetSocketAddress to, Proxy socks) {
    Proxy http = new Proxy(Proxy.Type.HTTP, (InetSocketAddress) socks.address());
    ProxySelector.setDefault(new Told(uri -> List.of(Proxy.NO_PROXY)));
    connect("answer: direct", new Socket(), to);
    ProxySelector.setDefault(new Told(uri -> List.of()));
    connect("answer: nothing", new Socket(), to);
    ProxySelector.setDefault(new Told(uri -> List.of(http)));
    connect("answer: HTTP", new Socket(), to);
    // Not asked: the second proxy of a list. The JDK closes the socket after the first, and every
    // further attempt fails with "Socket closed"; here it goes on.
    ProxySelector.setDefault(
        new Told(uri -> {
          throw new IllegalArgumentException("not this one");
        }));
    connect("answer: IllegalArgumentException", new Socket(), to);
    Probe.see(
        "its cause",
        () -> {
          try (Socket socket = new Socket()) {
            socket.connect(to);
            return "none";
          } catch (IOException e) {
            return e.getCause();
          }
        });
    ProxySelector.setDefault(
        new Told(uri -> {
          throw new IllegalStateException("not this one");
        }));
    connect("answer: IllegalStateException", new Socket(), to);
    ProxySelector.setDefault(null);
    connect("no selector", new Socket(), to);
  }

  private static void hosts(InetSocketAddress to) throws IOException {
    ProxySelector.setDefault(new Told(uri -> List.of(Proxy.NO_PROXY)));
    String[] names = {
      "h\u00f6st",
      "\u67f4\u7530",
      "a b",
      "my host%1",
      "a_b",
      "-",
      "a=b;c",
      "a/b?c#d",
      "[x]",
      "x:y",
      "1.2.3.4",
      "::1",
      "[::1]",
      "fe80::1%0",
      "UPPER",
      "t~i'l(d)e*!",
      "\"<>\\^`{|}",
      "a@b",
      "a&b+c$d,e"
    };
    for (String name : names) {
      InetAddress address = InetAddress.getByAddress(name, new byte[] {127, 0, 0, 1});
      connect(
          "resolved address with the name " + name,
          new Socket(),
          new InetSocketAddress(address, to.getPort()));
    }
    for (String name : new String[] {"\u67f4\u7530.invalid", "a b", "h%41.invalid", "x:y"}) {
      connect(
          "unresolved " + name,
          new Socket(),
          InetSocketAddress.createUnresolved(name, to.getPort()));
    }
    InetAddress six = InetAddress.getByName("::1");
    try (ServerSocket listener = new ServerSocket(0, 5, six)) {
      connect("IPv6", new Socket(), new InetSocketAddress(six, listener.getLocalPort()));
    }
  }

  /** As selectors do that fetch a script to learn what to answer. */
  private static void fetchingSelector() throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(HERE, 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 2);
          exchange.getResponseBody().write(new byte[] {'o', 'k'});
          exchange.close();
        });
    server.start();
    URL script = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/").toURL();
    AtomicInteger depth = new AtomicInteger();
    AtomicInteger deepest = new AtomicInteger();
    ProxySelector.setDefault(
        new Told(uri -> {
          deepest.accumulateAndGet(depth.incrementAndGet(), Math::max);
          try (InputStream in = script.openConnection(Proxy.NO_PROXY).getInputStream()) {
            in.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          } finally {
            depth.decrementAndGet();
          }
          return List.of(Proxy.NO_PROXY);
        }));
    Probe.see(
        "a selector that fetches",
        () -> new String(script.openConnection().getInputStream().readAllBytes(), US_ASCII));
    Probe.see("how deep", deepest::get);
  }
}
