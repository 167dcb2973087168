package org.slipstream.it.programs;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

/** The JDK's HTTP server and its clients. */
public final class HttpServerProgram {
  private HttpServerProgram() {}

  public static void main(String[] args) throws Exception {
    if (args.length > 1) {
      HttpLoad.run(args);
      return;
    }
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/echo",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
    Role.serving(server.getAddress().getPort());
  }
}
