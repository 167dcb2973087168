package org.slipstream.it.fresh;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/**
 * Accepts by every adapter, and answers; says which connection ended early. Names its ports in the
 * order of the adapters, the HTTP server's last.
 */
public final class FreshServer {
  private static final LongAdder ANSWERED = new LongAdder();

  private FreshServer() {}

  public static void main(String[] args) throws Exception {
    ExecutorService platform =
        Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("answer-", 0).factory());
    ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor();
    StringBuilder ports = new StringBuilder();
    for (Adapter adapter : Adapter.values()) {
      Adapter.Listener listener = adapter.listen();
      ports.append(listener.port()).append(' ');
      Thread.ofPlatform()
          .daemon()
          .name("accept-" + adapter)
          .start(() -> acceptAll(adapter, listener, platform, virtual));
    }
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4096);
    http.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          exchange.getResponseHeaders().set("Connection", "close");
          exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
          ANSWERED.increment();
        });
    http.setExecutor(virtual);
    http.start();
    Said.ready(ports.append(http.getAddress().getPort()).toString());
    Said.awaitEndOfInput();
    Said.done(ANSWERED.sum());
  }

  private static void acceptAll(
      Adapter adapter,
      Adapter.Listener listener,
      ExecutorService platform,
      ExecutorService virtual) {
    try {
      for (int i = 0; ; i++) {
        Connection connection = listener.accepting().accept();
        (i % 2 == 0 ? platform : virtual).execute(() -> answer(adapter, connection));
      }
    } catch (IOException e) {
      Said.early("accept " + adapter, e);
    }
  }

  private static void answer(Adapter adapter, Connection connection) {
    try (connection) {
      Talk.answer(connection);
      ANSWERED.increment();
    } catch (IOException | RuntimeException e) {
      Said.early("server " + adapter, e);
    }
  }
}
