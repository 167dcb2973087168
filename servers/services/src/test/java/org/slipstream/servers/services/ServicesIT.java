package org.slipstream.servers.services;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.servers.Arm;
import org.slipstream.servers.Comparison;
import org.slipstream.servers.Jvm;
import org.slipstream.servers.Least;
import org.slipstream.servers.Loop;
import org.slipstream.servers.Run;
import org.slipstream.servers.Scenario;

/** One server and one client each: requests and answers, one after the other. */
class ServicesIT {
  private static final int REQUESTS = 2_000;
  private static final List<String> SMALL = List.of("-Xmx192m");

  /** The history of a measurement has some million rows. */
  private static final List<String> LARGE = List.of("-Xmx1g");

  /** What is asked. */
  enum Service implements Scenario {
    H2("H2, JDBC, pgbench-like", "transactions/s"),
    JETTY_1("Jetty, HTTP/1.1, 1 kB", "requests/s"),
    JETTY_2("Jetty, HTTP/2, 1 kB", "requests/s"),
    TOMCAT_1("Tomcat, HTTP/1.1, 1 kB", "requests/s"),
    TOMCAT_2("Tomcat, HTTP/2, 1 kB", "requests/s"),
    GRPC("gRPC, unary, 1 kB", "calls/s");

    final String title;
    final String unit;

    Service(String title, String unit) {
      this.title = title;
      this.unit = unit;
    }

    @Override
    public Load start(Run run) throws Exception {
      String port = Integer.toString(Run.freePort());
      Jvm client =
          switch (this) {
            case H2 -> h2(run, port);
            case JETTY_1 -> http(run, "jetty", port, "HTTP_1_1");
            case JETTY_2 -> http(run, "jetty", port, "HTTP_2");
            case TOMCAT_1 -> http(run, "tomcat", port, "HTTP_1_1");
            case TOMCAT_2 -> http(run, "tomcat", port, "HTTP_2");
            case GRPC -> {
              List<String> flags = grpc(run.arm());
              echo(run, "grpc", flags, port);
              yield run.client("client", flags, GrpcLoad.class.getName(), port);
            }
          };
      return Loop.of(run, client, REQUESTS);
    }

    @Override
    public boolean isForNodes() {
      return true;
    }

    private static Jvm h2(Run run, String port) throws Exception {
      run.server("h2", LARGE, "org.h2.tools.Server", "-tcp", "-tcpPort", port, "-ifNotExists")
          .await("TCP server running", 60);
      return run.client(
          "client", SMALL, H2Load.class.getName(), "jdbc:h2:tcp://127.0.0.1:" + port + "/mem:load");
    }

    private static Jvm http(Run run, String kind, String port, String version) throws Exception {
      echo(run, kind, port);
      return run.client("client", SMALL, HttpLoad.class.getName(), port, version);
    }

    /** Netty's epoll as shipped; the others take NIO, each as its users would tell it. */
    private static List<String> grpc(Arm arm) {
      List<String> flags = new ArrayList<>(SMALL);
      if (arm.isAccelerated()) {
        flags.add("-Dslipstream.netty=nio");
      } else if (arm != Arm.SHIPPED) {
        flags.add("-Dio.netty.transport.noNative=true");
      }
      return flags;
    }

    private static void echo(Run run, String kind, String port) throws Exception {
      echo(run, kind, SMALL, port);
    }

    private static void echo(Run run, String kind, List<String> flags, String port)
        throws Exception {
      run.server(kind, flags, EchoServer.class.getName(), kind, port, run.directory().toString())
          .await("^READY$", 60);
    }
  }

  @ParameterizedTest
  @EnumSource(Service.class)
  void answersTravelOnTheRingAndWithoutIt(Service service) throws Exception {
    List<Arm> arms = service == Service.GRPC ? Arm.THREE : Arm.TWO;
    Comparison.run(service.title, service.unit, 0, Least.of(0.8), arms, service);
  }
}
