package org.slipstream.benchmarks.driver;

/** What is measured. */
public enum Exercise {
  /** Round trips. */
  PING_PONG("pingpong", "PingPong"),
  /** One-way throughput. */
  STREAM("stream", "Stream"),
  /** Short connections: connect, one exchange, close. */
  CONNECT("connect", "Connect");

  private static final String PROGRAMS = "org.slipstream.benchmarks.programs.";
  private static final String NETTY_PROGRAMS = "org.slipstream.benchmarks.netty.Netty";

  private final String label;
  private final String program;

  Exercise(String label, String program) {
    this.label = label;
    this.program = program;
  }

  /** Returns the name that the command line uses. */
  public String label() {
    return label;
  }

  String serverClass(Carrier carrier) {
    return programs(carrier) + "Server";
  }

  String clientClass(Carrier carrier) {
    return programs(carrier) + "Client";
  }

  private String programs(Carrier carrier) {
    return (carrier.isNetty() ? NETTY_PROGRAMS : PROGRAMS) + program;
  }
}
