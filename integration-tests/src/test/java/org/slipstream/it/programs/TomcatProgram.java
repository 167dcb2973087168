package org.slipstream.it.programs;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** Tomcat with its NIO connector, and a servlet that echoes. */
public final class TomcatProgram {
  private TomcatProgram() {}

  private static final class Echo extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      byte[] body = request.getInputStream().readAllBytes();
      response.setContentLength(body.length);
      response.getOutputStream().write(body);
    }
  }

  @SuppressWarnings("deprecation") // and nothing in its place yet
  public static void main(String[] args) throws Exception {
    if (args.length > 1) {
      HttpLoad.run(args);
      return;
    }
    String home = Files.createTempDirectory("tomcat").toString();
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(home);
    tomcat.setHostname("127.0.0.1");
    tomcat.setPort(0);
    tomcat.getConnector().setProperty("maxKeepAliveRequests", "-1");
    Context context = tomcat.addContext("", home);
    Tomcat.addServlet(context, "echo", new Echo());
    context.addServletMappingDecoded("/*", "echo");
    tomcat.start();
    Role.serving(tomcat.getConnector().getLocalPort());
  }
}
