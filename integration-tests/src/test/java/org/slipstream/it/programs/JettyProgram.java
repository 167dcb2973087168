package org.slipstream.it.programs;

import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/** Jetty, echoing bodies as they come. */
public final class JettyProgram {
  private JettyProgram() {}

  public static void main(String[] args) throws Exception {
    if (args.length > 1) {
      HttpLoad.run(args);
      return;
    }
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            Content.copy(request, response, callback);
            return true;
          }
        });
    server.start();
    Role.serving(connector.getLocalPort());
  }
}
