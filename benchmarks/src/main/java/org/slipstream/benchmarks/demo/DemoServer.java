package org.slipstream.benchmarks.demo;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/** Jetty, which answers each request with its body. It knows nothing of Slipstream. */
public final class DemoServer {
  private DemoServer() {}

  /**
   * Runs until its standard input ends, or it is killed.
   *
   * @param args the port; 0 for any, which it prints
   * @throws Exception Jetty does not start
   */
  public static void main(String[] args) throws Exception {
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server, 1, 1);
    connector.setHost("127.0.0.1");
    connector.setPort(Integer.parseInt(args[0]));
    server.addConnector(connector);
    server.setHandler(new Echo());
    server.start();
    System.out.println("ready " + connector.getLocalPort());
    while (System.in.read() >= 0) { // the end of the demo ends its servers, however it ends
      Thread.onSpinWait();
    }
    System.exit(0);
  }

  private static final class Echo extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      ByteBuffer body = Content.Source.asByteBuffer(request);
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.remaining());
      response.write(true, body, callback);
      return true;
    }
  }
}
