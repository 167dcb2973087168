package org.slipstream.servers.services;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http2.Http2Protocol;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/** Answers each request with its body. */
public final class EchoServer {
  private EchoServer() {}

  /**
   * {@code jetty|tomcat|grpc PORT DIRECTORY}.
   *
   * @param args see above
   */
  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(args[1]);
    switch (args[0]) {
      case "jetty" -> jetty(port);
      case "tomcat" -> tomcat(port, args[2]);
      default -> grpc(port);
    }
    System.out.println("READY");
    Thread.currentThread().join();
  }

  private static void jetty(int port) throws Exception {
    org.eclipse.jetty.server.Server server = new org.eclipse.jetty.server.Server();
    HttpConfiguration configuration = new HttpConfiguration();
    ServerConnector connector =
        new ServerConnector(
            server,
            new HttpConnectionFactory(configuration),
            new HTTP2CServerConnectionFactory(configuration));
    connector.setHost("127.0.0.1");
    connector.setPort(port);
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
  }

  private static void tomcat(int port, String directory) throws Exception {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(directory);
    Connector connector = new Connector();
    connector.setPort(port);
    connector.setProperty("address", "127.0.0.1");
    connector.addUpgradeProtocol(new Http2Protocol());
    tomcat.setConnector(connector);
    Context context = tomcat.addContext("", directory);
    Tomcat.addServlet(context, "echo", new EchoServlet()).addMapping("/");
    tomcat.start();
  }

  private static final class EchoServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) {
      response.setContentLength(0);
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      byte[] body = request.getInputStream().readAllBytes();
      response.setContentLength(body.length);
      response.getOutputStream().write(body);
    }
  }

  private static void grpc(int port) throws IOException {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
            .addService(
                ServerServiceDefinition.builder(GrpcLoad.SERVICE)
                    .addMethod(
                        GrpcLoad.PIGGYBACK,
                        ServerCalls.asyncUnaryCall(
                            (byte[] request, io.grpc.stub.StreamObserver<byte[]> answer) -> {
                              answer.onNext(request);
                              answer.onCompleted();
                            }))
                    .build())
            .build();
    server.start();
  }
}
