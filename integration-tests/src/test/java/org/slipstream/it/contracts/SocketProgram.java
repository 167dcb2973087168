package org.slipstream.it.contracts;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code Socket} and {@code ServerSocket}: each method in each state. */
public final class SocketProgram {
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();
  private static final byte[] FIVE = new byte[5];

  private SocketProgram() {}

  /** Both ends of all connections: one that is collected is closed. */
  private static final List<Socket> KEPT = new ArrayList<>();

  /** A socket in some state. */
  private record State(String name, Socket socket) {}

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    constructors();
    for (int i = 0; i < questions(new Socket()).size(); i++) {
      for (State state : states()) {
        Question question = questions(state.socket()).get(i);
        Probe.see(state.name() + ": " + question.name(), question.call());
        Probe.see("  then", () -> describe(state.socket()));
      }
    }
    for (State state : states()) {
      Socket s = state.socket();
      Probe.see(state.name(), () -> describe(s));
    }
    streams();
    serverSockets();
    accepting();
    System.exit(0); // whatever is left open
  }

  /** A method with its arguments. */
  private record Question(String name, Probe.Call call) {}

  private static String describe(Socket s) {
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

  private static Socket[] pair(boolean talked) throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 5, HERE)) {
      Socket client = new Socket(HERE, listener.getLocalPort());
      Socket server = listener.accept();
      KEPT.addAll(List.of(client, server));
      for (int i = 0; talked && i < 20; i++) {
        client.getOutputStream().write(1);
        server.getInputStream().read();
        server.getOutputStream().write(1);
        client.getInputStream().read();
        Thread.sleep(2);
      }
      return new Socket[] {client, server};
    }
  }

  private static List<State> states() throws Exception {
    List<State> states = new ArrayList<>();
    states.add(new State("new", new Socket()));
    Socket bound = new Socket();
    bound.bind(new InetSocketAddress(HERE, 0));
    states.add(new State("bound", bound));
    for (boolean talked : new boolean[] {false, true}) {
      String prefix = talked ? "talked, " : "fresh, ";
      states.add(new State(prefix + "client", pair(talked)[0]));
      states.add(new State(prefix + "server", pair(talked)[1]));
      Socket in = pair(talked)[0];
      in.shutdownInput();
      states.add(new State(prefix + "input shut", in));
      Socket out = pair(talked)[0];
      out.shutdownOutput();
      states.add(new State(prefix + "output shut", out));
      Socket closed = pair(talked)[0];
      closed.close();
      states.add(new State(prefix + "closed", closed));
      Socket[] ended = pair(talked);
      ended[1].close();
      states.add(new State(prefix + "peer closed", ended[0]));
      if (talked) {
        continue; // what a write says to a reset while there is a ring: CloseContract
      }
      Socket[] reset = pair(talked);
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

  private static List<Question> questions(Socket s) {
    List<Question> all = new ArrayList<>();
    add(all, "bind(null)", () -> s.bind(null));
    add(all, "bind(0)", () -> s.bind(new InetSocketAddress(HERE, 0)));
    add(all, "bind(unresolved)", () -> s.bind(InetSocketAddress.createUnresolved("x.invalid", 0)));
    add(all, "bind(unix)", () -> s.bind(UnixDomainSocketAddress.of("/nowhere")));
    add(all, "bind(not ours)", () -> s.bind(new InetSocketAddress("192.0.2.1", 0)));
    add(all, "connect(null)", () -> s.connect(null));
    add(all, "connect(-1)", () -> s.connect(new InetSocketAddress(HERE, 1), -1));
    add(all, "connect(unix)", () -> s.connect(UnixDomainSocketAddress.of("/nowhere")));
    add(
        all,
        "connect(unresolved)",
        () -> s.connect(InetSocketAddress.createUnresolved("x.invalid", 1)));
    add(all, "connect(refused)", () -> s.connect(dead(), 5_000));
    add(all, "connect(refused), no timeout", () -> s.connect(dead()));
    add(all, "connect(port 0)", () -> s.connect(new InetSocketAddress(HERE, 0), 5_000));
    add(all, "connect(multicast)", () -> s.connect(new InetSocketAddress("224.0.0.1", 9), 1_000));
    add(
        all,
        "connect(broadcast)",
        () -> s.connect(new InetSocketAddress("255.255.255.255", 9), 1_000));
    add(all, "getInputStream", () -> s.getInputStream());
    add(all, "getOutputStream", () -> s.getOutputStream());
    see(all, "available", () -> s.getInputStream().available());
    see(all, "read(0)", () -> s.getInputStream().read(FIVE, 0, 0));
    see(all, "read(null)", () -> s.getInputStream().read(null, 0, 1));
    see(all, "read(out of bounds)", () -> s.getInputStream().read(FIVE, 3, 3));
    see(
        all,
        "read with timeout",
        () -> {
          s.setSoTimeout(20);
          return s.getInputStream().read();
        });
    see(
        all,
        "skip",
        () -> {
          s.setSoTimeout(20);
          return s.getInputStream().skip(3);
        });
    add(all, "write", () -> s.getOutputStream().write(FIVE));
    add(all, "write(0)", () -> s.getOutputStream().write(FIVE, 0, 0));
    add(all, "write(out of bounds)", () -> s.getOutputStream().write(FIVE, -1, 2));
    add(all, "write(null)", () -> s.getOutputStream().write(null, 0, 1));
    add(all, "flush", () -> s.getOutputStream().flush());
    add(
        all,
        "two writes",
        () -> {
          OutputStream out = s.getOutputStream();
          out.write(FIVE);
          Thread.sleep(50);
          out.write(FIVE);
        });
    add(all, "shutdownInput", () -> s.shutdownInput());
    add(
        all,
        "shutdownInput twice",
        () -> {
          s.shutdownInput();
          s.shutdownInput();
        });
    add(all, "shutdownOutput", () -> s.shutdownOutput());
    add(
        all,
        "shutdownOutput twice",
        () -> {
          s.shutdownOutput();
          s.shutdownOutput();
        });
    add(
        all,
        "shutdown both, close",
        () -> {
          s.shutdownOutput();
          s.shutdownInput();
          s.close();
        });
    add(all, "sendUrgentData", () -> s.sendUrgentData(7));
    see(all, "getChannel", () -> s.getChannel());
    see(all, "toString", () -> s.toString());
    see(all, "supportedOptions", () -> s.supportedOptions().size());
    add(all, "close", () -> s.close());
    add(all, "close input", () -> s.getInputStream().close());
    add(all, "close output", () -> s.getOutputStream().close());
    add(all, "setPerformancePreferences", () -> s.setPerformancePreferences(1, 2, 3));
    Object[][] pairs = {{-1}, {0}, {1}, {70_000}};
    for (Object[] value : pairs) {
      int v = (int) value[0];
      see(
          all,
          "SO_TIMEOUT " + v,
          () -> {
            s.setSoTimeout(v);
            return s.getSoTimeout();
          });
      see(
          all,
          "SO_LINGER " + v,
          () -> {
            s.setSoLinger(true, v);
            return s.getSoLinger();
          });
      see(
          all,
          "SO_RCVBUF " + v,
          () -> {
            s.setReceiveBufferSize(v);
            return s.getReceiveBufferSize() > 0;
          });
      see(
          all,
          "SO_SNDBUF " + v,
          () -> {
            s.setSendBufferSize(v);
            return s.getSendBufferSize() > 0;
          });
      see(
          all,
          "traffic class " + v,
          () -> {
            s.setTrafficClass(v);
            return s.getTrafficClass();
          });
    }
    see(
        all,
        "linger off",
        () -> {
          s.setSoLinger(false, -5);
          return s.getSoLinger();
        });
    see(
        all,
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
    see(
        all,
        "booleans as they are",
        () -> s.getTcpNoDelay() + " " + s.getKeepAlive() + s.getOOBInline() + s.getReuseAddress());
    see(
        all,
        "numbers as they are",
        () -> s.getSoLinger() + " " + s.getSoTimeout() + " " + s.getTrafficClass());
    return all;
  }

  private static void see(List<Question> all, String name, Probe.Call call) {
    all.add(new Question(name, call));
  }

  private static void add(List<Question> all, String name, Probe.Deed deed) {
    see(
        all,
        name,
        () -> {
          deed.run();
          return "done";
        });
  }

  private static SocketAddress dead() throws Exception {
    try (ServerSocket gone = new ServerSocket(0, 1, HERE)) {
      return gone.getLocalSocketAddress();
    }
  }

  private static void constructors() throws Exception {
    InetSocketAddress dead = (InetSocketAddress) dead();
    int port = dead.getPort();
    Probe.see("Socket(refused)", () -> new Socket(HERE, port));
    Probe.see("Socket(name, refused)", () -> new Socket("localhost", port));
    Probe.see("Socket(no such name)", () -> new Socket("nowhere.invalid", port));
    Probe.see("Socket(port too large)", () -> new Socket(HERE, 70_000));
    Probe.see("Socket(port -1)", () -> new Socket(HERE, -1));
    Probe.see("Socket(null address)", () -> new Socket((InetAddress) nothing(), port));
    Probe.see("Socket(null name)", () -> new Socket((String) nothing(), port));
    Probe.see("Socket(null proxy)", () -> new Socket((java.net.Proxy) nothing()));
    Probe.see(
        "Socket(local not ours)",
        () -> new Socket(HERE, port, InetAddress.getByName("192.0.2.1"), 0));
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
            try (Socket s = new Socket(HERE, open, HERE, 0)) {
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
              s.connect(new InetSocketAddress(HERE, open));
              s.connect(new InetSocketAddress(HERE, open));
              return "twice";
            }
          });
    }
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return null;
  }

  private static void streams() throws Exception {
    for (boolean talked : new boolean[] {false, true}) {
      String prefix = talked ? "talked, " : "fresh, ";
      Socket[] pair = pair(talked);
      Probe.see(
          prefix + "streams are the same ones",
          () ->
              (pair[0].getInputStream() == pair[0].getInputStream())
                  + " "
                  + (pair[0].getOutputStream() == pair[0].getOutputStream()));
      InputStream in = pair[0].getInputStream();
      OutputStream out = pair[0].getOutputStream();
      pair[1].getOutputStream().write(FIVE);
      pair[1].close();
      Thread.sleep(100);
      Probe.see(prefix + "available of five", in::available);
      Probe.see(prefix + "skip two", () -> in.skip(2));
      Probe.see(prefix + "the rest", () -> in.readAllBytes().length);
      Probe.see(prefix + "at the end", in::read);
      Probe.see(prefix + "available at the end", in::available);
      pair[0].close();
      Probe.see(prefix + "read after the end and a close", in::read);
      Probe.see(prefix + "available after a close", in::available);
      Probe.deed(prefix + "write after a close", () -> out.write(1));
      Probe.deed(prefix + "empty write after a close", () -> out.write(FIVE, 0, 0));
      Socket[] shut = pair(talked);
      InputStream shutIn = shut[0].getInputStream();
      OutputStream shutOut = shut[0].getOutputStream();
      shut[1].getOutputStream().write(FIVE);
      Thread.sleep(50);
      shut[0].shutdownInput();
      Probe.see(prefix + "available after shutdownInput", shutIn::available);
      Probe.see(prefix + "read after shutdownInput", shutIn::read);
      shut[0].shutdownOutput();
      Probe.deed(prefix + "write after shutdownOutput", () -> shutOut.write(1));
      Probe.see(prefix + "peer reads", () -> shut[1].getInputStream().read());
      for (boolean linger : new boolean[] {false, true}) {
        Socket[] unread = pair(talked);
        unread[1].getOutputStream().write(FIVE);
        Thread.sleep(50);
        unread[0].setSoLinger(linger, 0);
        unread[0].close();
        Thread.sleep(50);
        unread[1].setSoTimeout(5_000);
        String what = prefix + "linger " + linger + ", ";
        Probe.see(
            what + "closed with unread bytes, the peer reads",
            () -> unread[1].getInputStream().read());
        Probe.see(what + "and again", () -> unread[1].getInputStream().read());
        Probe.deed(what + "and writes", () -> unread[1].getOutputStream().write(1));
      }
    }
  }

  private static void serverSockets() throws Exception {
    Probe.see("ServerSocket(port too large)", () -> new ServerSocket(70_000));
    Probe.see("ServerSocket(-1)", () -> new ServerSocket(-1));
    Probe.see(
        "ServerSocket(not ours)", () -> new ServerSocket(0, 1, InetAddress.getByName("192.0.2.1")));
    try (ServerSocket taken = new ServerSocket(0, 1, HERE)) {
      Probe.see("ServerSocket(taken)", () -> new ServerSocket(taken.getLocalPort(), 1, HERE));
      Probe.deed("bind(taken)", () -> new ServerSocket().bind(taken.getLocalSocketAddress()));
      ServerSocket again = new ServerSocket();
      Probe.deed("bind(taken)", () -> again.bind(taken.getLocalSocketAddress()));
      Probe.see("  then", () -> describe(again));
      Probe.deed("bind(free)", () -> again.bind(new InetSocketAddress(HERE, 0)));
      Probe.see("  then", () -> describe(again));
    }
    for (int state = 0; state < 3; state++) {
      for (int i = 0; i < serverQuestions(new ServerSocket()).size(); i++) {
        ServerSocket s = new ServerSocket();
        if (state > 0) {
          s.bind(new InetSocketAddress(HERE, 0), state == 1 ? -1 : 5);
        }
        if (state > 1) {
          s.close();
        }
        Question question = serverQuestions(s).get(i);
        String name = List.of("new", "bound", "closed").get(state);
        Probe.see("ServerSocket " + name + ": " + question.name(), question.call());
        Probe.see("  then", () -> describe(s));
        s.close();
      }
    }
  }

  private static String describe(ServerSocket s) {
    return "bound %s closed %s %s %s %s"
        .formatted(
            s.isBound(),
            s.isClosed(),
            s.getInetAddress(),
            s.getLocalPort() > 0 ? "port" : s.getLocalPort(),
            s.getLocalSocketAddress());
  }

  private static List<Question> serverQuestions(ServerSocket s) {
    List<Question> all = new ArrayList<>();
    add(all, "bind(null)", () -> s.bind(null));
    add(all, "bind(unix)", () -> s.bind(UnixDomainSocketAddress.of("/nowhere")));
    add(all, "bind(unresolved)", () -> s.bind(InetSocketAddress.createUnresolved("x.invalid", 0)));
    add(
        all,
        "accept with timeout",
        () -> {
          s.setSoTimeout(20);
          s.accept();
        });
    see(
        all,
        "accept interrupted with timeout",
        () -> {
          Thread.currentThread().interrupt();
          try {
            s.setSoTimeout(20);
            return s.accept();
          } catch (Exception e) {
            return Probe.describe(e) + ", interrupted " + Thread.interrupted();
          }
        });
    add(
        all,
        "accept of a closed one",
        () -> {
          s.close();
          s.accept();
        });
    see(all, "getChannel", () -> s.getChannel());
    see(all, "toString", () -> s.toString());
    see(all, "supportedOptions", () -> s.supportedOptions().size());
    add(all, "close", () -> s.close());
    for (int value : new int[] {-1, 0, 1, 70_000}) {
      see(
          all,
          "SO_TIMEOUT " + value,
          () -> {
            s.setSoTimeout(value);
            return s.getSoTimeout();
          });
      see(
          all,
          "SO_RCVBUF " + value,
          () -> {
            s.setReceiveBufferSize(value);
            return s.getReceiveBufferSize() > 0;
          });
    }
    see(
        all,
        "reuse",
        () -> {
          s.setReuseAddress(false);
          return s.getReuseAddress();
        });
    add(all, "setPerformancePreferences", () -> s.setPerformancePreferences(1, 2, 3));
    return all;
  }

  /** A subclass that accepts into a socket of its own, as some programs do. */
  private static final class Server extends ServerSocket {
    private final Socket into;

    Server(Socket into) throws Exception {
      super(0, 5, HERE);
      this.into = into;
    }

    @Override
    public Socket accept() throws java.io.IOException {
      implAccept(into);
      return into;
    }
  }

  /** A socket without an implementation, as subclasses may make them. */
  private static final class Bare extends Socket {
    Bare() throws SocketException {
      super((java.net.@Nullable SocketImpl) null);
    }
  }

  private static void accepting() throws Exception {
    Socket used = new Socket();
    used.setSoTimeout(1_234);
    used.setTcpNoDelay(true);
    accept("into a socket with options", used);
    Socket bound = new Socket();
    bound.bind(new InetSocketAddress(HERE, 0));
    accept("into a bound socket", bound);
    accept("into a new socket", new Socket());
    accept("into a bare socket", new Bare());
    accept("into a direct socket", new Socket(java.net.Proxy.NO_PROXY));
    accept("into a connected socket", pair(false)[0]);
  }

  private static void accept(String what, Socket into) throws Exception {
    try (Server server = new Server(into);
        Socket client = new Socket(HERE, server.getLocalPort())) {
      client.setSoTimeout(5_000);
      Probe.see(what, () -> server.accept() == into);
      Probe.see("  then", () -> describe(into));
      Probe.see("  options", () -> into.getSoTimeout() + " " + into.getTcpNoDelay());
      Probe.see(
          "  it talks",
          () -> {
            into.getOutputStream().write(3);
            return client.getInputStream().read();
          });
      Probe.see(
          "  it listens",
          () -> {
            client.getOutputStream().write(4);
            return into.getInputStream().read();
          });
      into.close();
      server.close();
      Probe.see("  it ends", () -> client.getInputStream().read());
    }
  }
}
