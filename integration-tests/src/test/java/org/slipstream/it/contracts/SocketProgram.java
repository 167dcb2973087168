package org.slipstream.it.contracts;

import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** {@code Socket} and {@code ServerSocket}: each method in each state. */
public final class SocketProgram {
  private static final byte[] FIVE = new byte[5];

  private SocketProgram() {}

  /** A socket in some state. */
  private record State(String name, Socket socket) {}

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    constructors();
    for (int i = 0; i < questions(new Socket()).size(); i++) {
      for (State state : states()) {
        questions(state.socket()).ask(i, state.name());
        Probe.see("  then", () -> describe(state.socket()));
      }
    }
    for (State state : states()) {
      Socket s = state.socket();
      Probe.see(state.name(), () -> describe(s));
    }
    System.exit(0); // whatever is left open
  }

  static String describe(Socket s) {
    return "bound %s connected %s closed %s in %s out %s %s %s %s %s %s %s"
        .formatted(
            s.isBound(),
            s.isConnected(),
            s.isClosed(),
            s.isInputShutdown(),
            s.isOutputShutdown(),
            s.getInetAddress(),
            s.getPort(),
            s.getLocalAddress(),
            s.getLocalPort() > 0 ? "port" : s.getLocalPort(),
            s.getRemoteSocketAddress(),
            s.getLocalSocketAddress());
  }

  private static List<State> states() throws Exception {
    List<State> states = new ArrayList<>();
    states.add(new State("new", new Socket()));
    Socket bound = new Socket();
    bound.bind(new InetSocketAddress(Pairs.HERE, 0));
    states.add(new State("bound", bound));
    for (boolean talked : new boolean[] {false, true}) {
      String prefix = talked ? "talked, " : "fresh, ";
      states.add(new State(prefix + "client", Pairs.sockets(talked)[0]));
      states.add(new State(prefix + "server", Pairs.sockets(talked)[1]));
      Socket in = Pairs.sockets(talked)[0];
      in.shutdownInput();
      states.add(new State(prefix + "input shut", in));
      Socket out = Pairs.sockets(talked)[0];
      out.shutdownOutput();
      states.add(new State(prefix + "output shut", out));
      Socket closed = Pairs.sockets(talked)[0];
      closed.close();
      states.add(new State(prefix + "closed", closed));
      Socket[] ended = Pairs.sockets(talked);
      ended[1].close();
      states.add(new State(prefix + "peer closed", ended[0]));
      Socket[] reset = Pairs.sockets(talked);
      reset[1].setSoLinger(true, 0);
      reset[1].close();
      Thread.sleep(100); // the reset is in the kernel's hands
      states.add(new State(prefix + "peer reset", reset[0]));
    }
    Socket closed = new Socket();
    closed.close();
    states.add(new State("closed at once", closed));
    return states;
  }

  private static Questions questions(Socket s) {
    Questions all = new Questions();
    all.add("bind(null)", () -> s.bind(null));
    all.add("bind(0)", () -> s.bind(new InetSocketAddress(Pairs.HERE, 0)));
    all.add("bind(unresolved)", () -> s.bind(InetSocketAddress.createUnresolved("x.invalid", 0)));
    all.add("bind(unix)", () -> s.bind(UnixDomainSocketAddress.of("/nowhere")));
    all.add("bind(not ours)", () -> s.bind(new InetSocketAddress("192.0.2.1", 0)));
    all.add("connect(null)", () -> s.connect(null));
    all.add("connect(-1)", () -> s.connect(new InetSocketAddress(Pairs.HERE, 1), -1));
    all.add("connect(unix)", () -> s.connect(UnixDomainSocketAddress.of("/nowhere")));
    all.add(
        "connect(unresolved)", () -> s.connect(InetSocketAddress.createUnresolved("x.invalid", 1)));
    all.add("connect(refused)", () -> s.connect(Pairs.dead(), 5_000));
    all.add("connect(refused), no timeout", () -> s.connect(Pairs.dead()));
    all.add("connect(port 0)", () -> s.connect(new InetSocketAddress(Pairs.HERE, 0), 5_000));
    all.add("connect(multicast)", () -> s.connect(new InetSocketAddress("224.0.0.1", 9), 1_000));
    all.add(
        "connect(broadcast)", () -> s.connect(new InetSocketAddress("255.255.255.255", 9), 1_000));
    all.add("getInputStream", () -> s.getInputStream());
    all.add("getOutputStream", () -> s.getOutputStream());
    all.see("available", () -> s.getInputStream().available());
    all.see("read(0)", () -> s.getInputStream().read(FIVE, 0, 0));
    all.see("read(null)", () -> s.getInputStream().read(null, 0, 1));
    all.see("read(out of bounds)", () -> s.getInputStream().read(FIVE, 3, 3));
    all.see(
        "read with timeout",
        () -> {
          s.setSoTimeout(20);
          return s.getInputStream().read();
        });
    all.see(
        "skip",
        () -> {
          s.setSoTimeout(20);
          return s.getInputStream().skip(3);
        });
    all.add("write", () -> s.getOutputStream().write(FIVE));
    all.add("write(0)", () -> s.getOutputStream().write(FIVE, 0, 0));
    all.add("write(out of bounds)", () -> s.getOutputStream().write(FIVE, -1, 2));
    all.add("write(null)", () -> s.getOutputStream().write(null, 0, 1));
    all.add("flush", () -> s.getOutputStream().flush());
    all.add(
        "two writes",
        () -> {
          OutputStream out = s.getOutputStream();
          out.write(FIVE);
          Thread.sleep(50);
          out.write(FIVE);
        });
    all.add("shutdownInput", () -> s.shutdownInput());
    all.add(
        "shutdownInput twice",
        () -> {
          s.shutdownInput();
          s.shutdownInput();
        });
    all.add("shutdownOutput", () -> s.shutdownOutput());
    all.add(
        "shutdownOutput twice",
        () -> {
          s.shutdownOutput();
          s.shutdownOutput();
        });
    all.add(
        "shutdown both, close",
        () -> {
          s.shutdownOutput();
          s.shutdownInput();
          s.close();
        });
    all.add("sendUrgentData", () -> s.sendUrgentData(7));
    all.see("getChannel", () -> s.getChannel());
    all.see("toString", () -> s.toString());
    all.see("supportedOptions", () -> s.supportedOptions().size());
    all.add("close", () -> s.close());
    all.add("close input", () -> s.getInputStream().close());
    all.add("close output", () -> s.getOutputStream().close());
    all.add("setPerformancePreferences", () -> s.setPerformancePreferences(1, 2, 3));
    Object[][] pairs = {{-1}, {0}, {1}, {70_000}};
    for (Object[] value : pairs) {
      int v = (int) value[0];
      all.see(
          "SO_TIMEOUT " + v,
          () -> {
            s.setSoTimeout(v);
            return s.getSoTimeout();
          });
      all.see(
          "SO_LINGER " + v,
          () -> {
            s.setSoLinger(true, v);
            return s.getSoLinger();
          });
      all.see(
          "SO_RCVBUF " + v,
          () -> {
            s.setReceiveBufferSize(v);
            return s.getReceiveBufferSize() > 0;
          });
      all.see(
          "SO_SNDBUF " + v,
          () -> {
            s.setSendBufferSize(v);
            return s.getSendBufferSize() > 0;
          });
      all.see(
          "traffic class " + v,
          () -> {
            s.setTrafficClass(v);
            return s.getTrafficClass();
          });
    }
    all.see(
        "linger off",
        () -> {
          s.setSoLinger(false, -5);
          return s.getSoLinger();
        });
    all.see(
        "booleans",
        () -> {
          s.setTcpNoDelay(true);
          s.setKeepAlive(true);
          s.setOOBInline(true);
          s.setReuseAddress(true);
          return s.getTcpNoDelay()
              + " "
              + s.getKeepAlive()
              + s.getOOBInline()
              + s.getReuseAddress();
        });
    all.see(
        "booleans as they are",
        () -> s.getTcpNoDelay() + " " + s.getKeepAlive() + s.getOOBInline() + s.getReuseAddress());
    all.see(
        "numbers as they are",
        () -> s.getSoLinger() + " " + s.getSoTimeout() + " " + s.getTrafficClass());
    return all;
  }

  private static void constructors() throws Exception {
    InetSocketAddress dead = (InetSocketAddress) Pairs.dead();
    int port = dead.getPort();
    Probe.see("Socket(refused)", () -> new Socket(Pairs.HERE, port));
    Probe.see("Socket(name, refused)", () -> new Socket("localhost", port));
    Probe.see("Socket(no such name)", () -> new Socket("nowhere.invalid", port));
    Probe.see("Socket(port too large)", () -> new Socket(Pairs.HERE, 70_000));
    Probe.see("Socket(port -1)", () -> new Socket(Pairs.HERE, -1));
    Probe.see("Socket(null address)", () -> new Socket((InetAddress) Pairs.nothing(), port));
    Probe.see("Socket(null name)", () -> new Socket((String) Pairs.nothing(), port));
    Probe.see("Socket(null proxy)", () -> new Socket((java.net.Proxy) Pairs.nothing()));
    Probe.see(
        "Socket(local not ours)",
        () -> new Socket(Pairs.HERE, port, InetAddress.getByName("192.0.2.1"), 0));
    try (ServerSocket listener = new ServerSocket(0)) {
      int open = listener.getLocalPort();
      Probe.see(
          "Socket(wildcard)",
          () -> {
            try (Socket s = new Socket(InetAddress.getByName("0.0.0.0"), open)) {
              return s.isConnected() + " " + s.getInetAddress().isLoopbackAddress();
            }
          });
      Probe.see(
          "Socket(IPv6 wildcard)",
          () -> {
            try (Socket s = new Socket(InetAddress.getByName("::"), open)) {
              return s.isConnected();
            }
          });
      Probe.see(
          "Socket(local)",
          () -> {
            try (Socket s = new Socket(Pairs.HERE, open, Pairs.HERE, 0)) {
              return describe(s);
            }
          });
      Probe.see(
          "connected to the wildcard",
          () -> {
            try (Socket s = new Socket()) {
              s.connect(new InetSocketAddress("0.0.0.0", open));
              return describe(s);
            }
          });
      Probe.see(
          "connect twice",
          () -> {
            try (Socket s = new Socket()) {
              s.connect(new InetSocketAddress(Pairs.HERE, open));
              s.connect(new InetSocketAddress(Pairs.HERE, open));
              return "twice";
            }
          });
    }
  }
}
