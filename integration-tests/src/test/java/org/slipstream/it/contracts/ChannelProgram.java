package org.slipstream.it.contracts;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** {@code SocketChannel}, {@code ServerSocketChannel}, their adaptors, keys and selectors. */
public final class ChannelProgram {
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  private ChannelProgram() {}

  /** Both ends of all connections: one that is collected is closed. */
  private static final List<SocketChannel> KEPT = new ArrayList<>();

  private record State(String name, SocketChannel channel) {}

  /** A method with its arguments. */
  private record Question(String name, Probe.Call call) {}

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    for (boolean blocking : new boolean[] {true, false}) {
      for (int i = 0; i < questions(SocketChannel.open()).size(); i++) {
        for (State state : states(blocking)) {
          Question question = questions(state.channel()).get(i);
          Probe.see(state.name() + ": " + question.name(), question.call());
          Probe.see("  then", () -> describe(state.channel()));
          state.channel().close();
        }
      }
      for (int i = 0; i < adaptorQuestions(new Socket()).size(); i++) {
        for (State state : states(blocking)) {
          Question question = adaptorQuestions(state.channel().socket()).get(i);
          Probe.see(state.name() + ": adaptor's " + question.name(), question.call());
          Probe.see("  then", () -> describe(state.channel()));
          state.channel().close();
        }
      }
      listeners(blocking);
    }
    keys();
    selectors();
    System.exit(0); // whatever is left open
  }

  private static String describe(SocketChannel c) {
    Socket s = c.socket();
    return "open %s connected %s pending %s blocking %s registered %s in %s out %s %s %s %s"
        .formatted(
            c.isOpen(),
            c.isConnected(),
            c.isConnectionPending(),
            c.isBlocking(),
            c.isRegistered(),
            s.isInputShutdown(),
            s.isOutputShutdown(),
            s.isBound(),
            s.isConnected(),
            s.isClosed());
  }

  private static SocketChannel[] pair(boolean talked) throws Exception {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(HERE, 0));
      SocketChannel client = SocketChannel.open(listener.getLocalAddress());
      SocketChannel server = listener.accept();
      KEPT.addAll(List.of(client, server));
      ByteBuffer one = ByteBuffer.allocate(1);
      for (int i = 0; talked && i < 20; i++) {
        client.write(one.clear());
        server.read(one.clear());
        server.write(one.clear());
        client.read(one.clear());
        Thread.sleep(2);
      }
      return new SocketChannel[] {client, server};
    }
  }

  private static List<State> states(boolean blocking) throws Exception {
    List<State> states = new ArrayList<>();
    states.add(new State("new", SocketChannel.open()));
    states.add(new State("bound", SocketChannel.open().bind(new InetSocketAddress(HERE, 0))));
    for (boolean talked : new boolean[] {false, true}) {
      String prefix = talked ? "talked, " : "fresh, ";
      states.add(new State(prefix + "client", pair(talked)[0]));
      states.add(new State(prefix + "server", pair(talked)[1]));
      states.add(new State(prefix + "input shut", pair(talked)[0].shutdownInput()));
      states.add(new State(prefix + "output shut", pair(talked)[0].shutdownOutput()));
      SocketChannel[] ended = pair(talked);
      ended[1].close();
      states.add(new State(prefix + "peer closed", ended[0]));
    }
    for (State state : states) {
      state.channel().configureBlocking(blocking);
    }
    SocketChannel closed = pair(false)[0];
    closed.close();
    states.add(new State("closed", closed));
    return states;
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return null;
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

  /** Text without what differs between classes. */
  private static String text(Object o) {
    return o.toString().replaceFirst("^[^\\[]*", "");
  }

  private static List<Question> questions(SocketChannel c) {
    InetSocketAddress unresolved = InetSocketAddress.createUnresolved("x.invalid", 1);
    List<Question> all = new ArrayList<>();
    add(all, "bind(null)", () -> c.bind(null));
    add(all, "bind(unresolved)", () -> c.bind(unresolved));
    add(all, "bind(unix)", () -> c.bind(UnixDomainSocketAddress.of("/nowhere")));
    add(all, "bind(not ours)", () -> c.bind(new InetSocketAddress("192.0.2.1", 0)));
    add(all, "connect(null)", () -> c.connect(nothing()));
    add(all, "connect(unresolved)", () -> c.connect(unresolved));
    add(all, "connect(unix)", () -> c.connect(UnixDomainSocketAddress.of("/nowhere")));
    see(all, "connect(multicast)", () -> c.connect(new InetSocketAddress("224.0.0.1", 9)));
    see(
        all,
        "connect(dead)",
        () -> {
          boolean done = c.connect(dead());
          for (int i = 0; !done && i < 1_000; i++) {
            Thread.sleep(1);
            done = c.finishConnect();
          }
          return done;
        });
    see(
        all,
        "connect(wildcard)",
        () -> {
          try (ServerSocket listener = new ServerSocket(0)) {
            boolean done = c.connect(new InetSocketAddress("0.0.0.0", listener.getLocalPort()));
            for (int i = 0; !done && i < 1_000; i++) {
              Thread.sleep(1);
              done = c.finishConnect();
            }
            return done + " " + c.getRemoteAddress();
          }
        });
    see(all, "finishConnect", c::finishConnect);
    see(all, "getLocalAddress", c::getLocalAddress);
    see(all, "getRemoteAddress", c::getRemoteAddress);
    see(all, "toString", () -> text(c));
    see(all, "read nothing", () -> c.read(ByteBuffer.allocate(0)));
    see(all, "read null", () -> c.read((ByteBuffer) nothing()));
    see(all, "read read-only", () -> c.read(ByteBuffer.allocate(1).asReadOnlyBuffer()));
    see(all, "read no arrays", () -> c.read(new ByteBuffer[0]));
    see(all, "read null arrays", () -> c.read((ByteBuffer[]) nothing()));
    see(all, "read empty arrays", () -> c.read(new ByteBuffer[] {ByteBuffer.allocate(0)}));
    see(all, "read out of bounds", () -> c.read(new ByteBuffer[1], 1, 1));
    see(all, "read array of null", () -> c.read(new ByteBuffer[1]));
    see(
        all,
        "read if that does not block",
        () -> {
          c.configureBlocking(false);
          Thread.sleep(30);
          return c.read(ByteBuffer.allocate(1));
        });
    see(
        all,
        "read arrays if that does not block",
        () -> {
          c.configureBlocking(false);
          Thread.sleep(30);
          return c.read(new ByteBuffer[] {ByteBuffer.allocate(1), ByteBuffer.allocate(1)});
        });
    see(all, "write nothing", () -> c.write(ByteBuffer.allocate(0)));
    see(all, "write null", () -> c.write((ByteBuffer) nothing()));
    see(all, "write one", () -> c.write(ByteBuffer.allocate(1)));
    see(all, "write read-only", () -> c.write(ByteBuffer.allocate(1).asReadOnlyBuffer()));
    see(all, "write no arrays", () -> c.write(new ByteBuffer[0]));
    see(all, "write null arrays", () -> c.write((ByteBuffer[]) nothing()));
    see(all, "write empty arrays", () -> c.write(new ByteBuffer[] {ByteBuffer.allocate(0)}));
    see(all, "write out of bounds", () -> c.write(new ByteBuffer[1], -1, 1));
    see(all, "write array of null", () -> c.write(new ByteBuffer[1]));
    see(
        all,
        "write arrays",
        () -> c.write(new ByteBuffer[] {ByteBuffer.allocate(1), ByteBuffer.allocate(2)}));
    add(all, "shutdownInput", c::shutdownInput);
    add(all, "shutdownInput twice", () -> c.shutdownInput().shutdownInput());
    add(all, "shutdownOutput", c::shutdownOutput);
    add(all, "shutdownOutput twice", () -> c.shutdownOutput().shutdownOutput());
    add(all, "shutdown both", () -> c.shutdownOutput().shutdownInput());
    see(all, "interrupted read", () -> interrupted(() -> c.read(ByteBuffer.allocate(0))));
    see(all, "interrupted write", () -> interrupted(() -> c.write(ByteBuffer.allocate(1))));
    see(all, "interrupted connect", () -> interrupted(() -> c.connect(dead())));
    see(all, "interrupted shutdown", () -> interrupted(c::shutdownOutput));
    see(all, "validOps", c::validOps);
    see(all, "same adaptor", () -> c.socket() == c.socket());
    see(all, "adaptor's channel", () -> c.socket().getChannel() == c);
    add(
        all,
        "close twice",
        () -> {
          c.close();
          c.close();
        });
    add(all, "close of the adaptor", () -> c.socket().close());
    see(all, "configureBlocking", () -> c.configureBlocking(true) == c);
    for (int ops : new int[] {0, OP_READ, OP_WRITE, OP_CONNECT, OP_ACCEPT, -1}) {
      see(
          all,
          "register " + ops,
          () -> {
            try (Selector selector = Selector.open()) {
              SelectionKey key = c.register(selector, ops, "it");
              int ready = selector.selectNow();
              return ready
                  + " "
                  + key.readyOps()
                  + " "
                  + key.interestOps()
                  + " "
                  + key.attachment();
            }
          });
    }
    see(
        all,
        "register with a closed selector",
        () -> {
          Selector selector = Selector.open();
          selector.close();
          return c.register(selector, 0);
        });
    see(all, "register with none", () -> c.register(nothing(), 0));
    see(all, "keyFor none", () -> c.keyFor(nothing()));
    see(
        all,
        "configureBlocking while registered",
        () -> {
          try (Selector selector = Selector.open()) {
            c.configureBlocking(false);
            SelectionKey key = c.register(selector, 0);
            String outcome = Probe.outcome(() -> c.configureBlocking(true) == c);
            key.cancel();
            return outcome + ", cancelled: " + Probe.outcome(() -> c.configureBlocking(true) == c);
          }
        });
    return all;
  }

  private static String interrupted(Probe.Call call) {
    Thread.currentThread().interrupt();
    String outcome = Probe.outcome(call);
    return outcome + ", status " + Thread.interrupted();
  }

  private static List<Question> adaptorQuestions(Socket s) {
    List<Question> all = new ArrayList<>();
    add(all, "bind(null)", () -> s.bind(null));
    add(all, "bind(unresolved)", () -> s.bind(InetSocketAddress.createUnresolved("x.invalid", 0)));
    add(all, "bind(unix)", () -> s.bind(UnixDomainSocketAddress.of("/nowhere")));
    add(all, "connect(null)", () -> s.connect(null));
    add(all, "connect(-1)", () -> s.connect(new InetSocketAddress(HERE, 1), -1));
    add(all, "connect(unix)", () -> s.connect(UnixDomainSocketAddress.of("/nowhere")));
    add(
        all,
        "connect(unresolved)",
        () -> s.connect(InetSocketAddress.createUnresolved("x.invalid", 1)));
    add(all, "connect(dead)", () -> s.connect(dead()));
    add(all, "connect(dead) in time", () -> s.connect(dead(), 5_000));
    see(
        all,
        "addresses",
        () ->
            s.getInetAddress()
                + " "
                + s.getPort()
                + " "
                + s.getLocalAddress()
                + " "
                + (s.getLocalPort() > 0)
                + " "
                + s.getRemoteSocketAddress()
                + " "
                + s.getLocalSocketAddress());
    see(all, "toString", s::toString);
    add(all, "getInputStream", s::getInputStream);
    add(all, "getOutputStream", s::getOutputStream);
    see(
        all,
        "read in time",
        () -> {
          s.setSoTimeout(20);
          return s.getInputStream().read();
        });
    see(all, "read nothing", () -> s.getInputStream().read(new byte[2], 1, 0));
    see(all, "read out of bounds", () -> s.getInputStream().read(new byte[2], 1, 2));
    see(all, "available", () -> s.getInputStream().available());
    add(all, "write", () -> s.getOutputStream().write(1));
    add(all, "write nothing", () -> s.getOutputStream().write(new byte[2], 1, 0));
    add(all, "write out of bounds", () -> s.getOutputStream().write(new byte[2], 1, 2));
    add(all, "shutdownInput", s::shutdownInput);
    add(
        all,
        "shutdownInput twice",
        () -> {
          s.shutdownInput();
          s.shutdownInput();
        });
    add(all, "shutdownOutput", s::shutdownOutput);
    add(
        all,
        "shutdownOutput twice",
        () -> {
          s.shutdownOutput();
          s.shutdownOutput();
        });
    add(all, "sendUrgentData", () -> s.sendUrgentData(1));
    see(all, "supportedOptions", () -> names(s.supportedOptions()));
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
          "SO_LINGER " + value,
          () -> {
            s.setSoLinger(true, value);
            return s.getSoLinger();
          });
      see(
          all,
          "SO_RCVBUF " + value,
          () -> {
            s.setReceiveBufferSize(value);
            return s.getReceiveBufferSize() > 0;
          });
      see(
          all,
          "SO_SNDBUF " + value,
          () -> {
            s.setSendBufferSize(value);
            return s.getSendBufferSize() > 0;
          });
      see(
          all,
          "traffic class " + value,
          () -> {
            s.setTrafficClass(value);
            return s.getTrafficClass();
          });
    }
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
    add(all, "setPerformancePreferences", () -> s.setPerformancePreferences(1, 2, 3));
    see(all, "hash", () -> s.equals(s.getChannel().socket()));
    return all;
  }

  private static Set<String> names(Set<java.net.SocketOption<?>> options) {
    return new TreeSet<>(options.stream().map(java.net.SocketOption::name).toList());
  }

  // -- listeners -------------------------------------------------------------------------------

  private static void listeners(boolean blocking) throws Exception {
    for (int state = 0; state < 3; state++) {
      String name = List.of("new", "bound", "closed").get(state) + " listener: ";
      for (int i = 0; i < listenerQuestions(ServerSocketChannel.open()).size(); i++) {
        ServerSocketChannel c = ServerSocketChannel.open();
        c.configureBlocking(blocking);
        if (state > 0) {
          c.bind(new InetSocketAddress(HERE, 0));
        }
        if (state > 1) {
          c.close();
        }
        Question question = listenerQuestions(c).get(i);
        Probe.see(name + question.name(), question.call());
        Probe.see(
            "  then",
            () ->
                c.isOpen()
                    + " "
                    + c.socket().isBound()
                    + " "
                    + c.socket().isClosed()
                    + " "
                    + c.isBlocking());
        c.close();
      }
    }
  }

  private static List<Question> listenerQuestions(ServerSocketChannel c) {
    ServerSocket s = c.socket();
    List<Question> all = new ArrayList<>();
    add(all, "bind(null)", () -> c.bind(null));
    add(all, "bind(null, -1)", () -> c.bind(null, -1));
    add(all, "bind(unix)", () -> c.bind(UnixDomainSocketAddress.of("/nowhere")));
    add(all, "bind(unresolved)", () -> c.bind(InetSocketAddress.createUnresolved("x.invalid", 0)));
    add(
        all,
        "bind(taken)",
        () -> {
          try (ServerSocket taken = new ServerSocket(0, 1, HERE)) {
            c.bind(taken.getLocalSocketAddress());
          }
        });
    see(
        all,
        "accept if that does not block",
        () -> {
          c.configureBlocking(false);
          return c.accept();
        });
    see(
        all,
        "accept",
        () -> {
          try (SocketChannel client = SocketChannel.open(c.getLocalAddress());
              SocketChannel accepted = c.accept()) {
            return accepted.isBlocking()
                + " "
                + accepted.getRemoteAddress().equals(client.getLocalAddress());
          }
        });
    see(
        all,
        "interrupted accept",
        () ->
            interrupted(() -> {
              SocketChannel client = SocketChannel.open(c.getLocalAddress());
              return c.accept() + " " + client;
            }));
    see(all, "getLocalAddress", c::getLocalAddress);
    see(all, "toString", () -> text(c));
    see(all, "validOps", c::validOps);
    for (int ops : new int[] {0, OP_READ, OP_ACCEPT}) {
      see(
          all,
          "register " + ops,
          () -> {
            try (Selector selector = Selector.open()) {
              SelectionKey key = c.register(selector, ops);
              return selector.selectNow() + " " + key.readyOps();
            }
          });
    }
    see(
        all,
        "accept none",
        () -> {
          s.setSoTimeout(20);
          return s.accept();
        });
    see(
        all,
        "adaptor's accept",
        () -> {
          try (Socket client = new Socket(HERE, s.getLocalPort());
              Socket accepted = s.accept()) {
            return accepted.isConnected()
                + " "
                + (accepted.getChannel() != null)
                + client.isBound();
          }
        });
    add(all, "adaptor's bind(null)", () -> s.bind(null));
    add(all, "adaptor's bind(unix)", () -> s.bind(UnixDomainSocketAddress.of("/nowhere")));
    add(
        all,
        "adaptor's bind(unresolved)",
        () -> s.bind(InetSocketAddress.createUnresolved("x.invalid", 0)));
    see(
        all,
        "adaptor's addresses",
        () -> s.getInetAddress() + " " + (s.getLocalPort() > 0) + " " + s.getLocalSocketAddress());
    see(all, "adaptor's text", s::toString);
    see(all, "adaptor's channel", () -> s.getChannel() == c);
    for (int value : new int[] {-1, 0, 70_000}) {
      see(
          all,
          "adaptor's SO_TIMEOUT " + value,
          () -> {
            s.setSoTimeout(value);
            return s.getSoTimeout();
          });
      see(
          all,
          "adaptor's SO_RCVBUF " + value,
          () -> {
            s.setReceiveBufferSize(value);
            return s.getReceiveBufferSize() > 0;
          });
    }
    see(
        all,
        "adaptor's reuse",
        () -> {
          s.setReuseAddress(false);
          return s.getReuseAddress();
        });
    see(all, "adaptor's options", () -> names(s.supportedOptions()));
    add(all, "adaptor's close", s::close);
    add(all, "adaptor's performance", () -> s.setPerformancePreferences(1, 2, 3));
    return all;
  }

  // -- keys and selectors ----------------------------------------------------------------------

  private static void keys() throws Exception {
    for (boolean talked : new boolean[] {false, true}) {
      String prefix = talked ? "talked, " : "fresh, ";
      SocketChannel c = pair(talked)[0];
      c.configureBlocking(false);
      try (Selector selector = Selector.open()) {
        SelectionKey key = c.register(selector, OP_READ | OP_WRITE);
        Probe.see(prefix + "selectNow", selector::selectNow);
        Probe.see(prefix + "ready", key::readyOps);
        Probe.see(
            prefix + "predicates",
            () ->
                key.isReadable()
                    + " "
                    + key.isWritable()
                    + " "
                    + key.isConnectable()
                    + " "
                    + key.isAcceptable());
        Probe.see(
            prefix + "text",
            () -> key.toString().replaceAll("channel=.*, selector=[^,]*", "") + key.isValid());
        Probe.see(prefix + "again", selector::selectNow);
        Probe.see(prefix + "selected", () -> selector.selectedKeys().size());
        Probe.see(prefix + "bad interest", () -> key.interestOps(OP_ACCEPT));
        Probe.see(prefix + "bad or", () -> key.interestOpsOr(OP_ACCEPT));
        Probe.see(prefix + "any and", () -> key.interestOpsAnd(OP_ACCEPT));
        Probe.see(prefix + "now", key::interestOps);
        Probe.see(prefix + "or", () -> key.interestOpsOr(OP_WRITE));
        Probe.see(prefix + "registered again", () -> c.register(selector, OP_READ, "x") == key);
        Probe.see(prefix + "attachment", key::attachment);
        Probe.see(prefix + "registered once more", () -> c.register(selector, OP_READ) == key);
        Probe.see(prefix + "attachment", key::attachment);
        key.cancel();
        Probe.see(prefix + "cancelled, ready", key::readyOps);
        Probe.see(prefix + "cancelled, interest", key::interestOps);
        Probe.see(prefix + "cancelled, set", () -> key.interestOps(0));
        Probe.see(prefix + "cancelled, or bad", () -> key.interestOpsOr(OP_ACCEPT));
        Probe.see(prefix + "cancelled, and", () -> key.interestOpsAnd(0));
        Probe.see(prefix + "cancelled, readable", key::isReadable);
        Probe.see(prefix + "cancelled, register", () -> c.register(selector, 0));
        Probe.see(prefix + "cancelled, text", () -> key.toString().replaceAll(".*, ", ""));
        Probe.see(prefix + "cancelled, keys", () -> selector.keys().size());
        Probe.see(prefix + "cancelled, selected", () -> selector.selectedKeys().size());
        Probe.see(prefix + "cancelled, registered", c::isRegistered);
        selector.selectNow();
        Probe.see(prefix + "gone, keys", () -> selector.keys().size());
        Probe.see(prefix + "gone, selected", () -> selector.selectedKeys().size());
        Probe.see(prefix + "gone, registered", c::isRegistered);
        SelectionKey second = c.register(selector, OP_WRITE);
        c.close();
        Probe.see(prefix + "channel closed, valid", second::isValid);
        Probe.see(prefix + "channel closed, registered", c::isRegistered);
        Probe.see(prefix + "channel closed, select", selector::selectNow);
        Probe.see(prefix + "channel closed, keyFor", () -> c.keyFor(selector));
      }
    }
    try (ServerSocketChannel unix = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        Selector selector = Selector.open()) {
      unix.configureBlocking(false);
      Probe.see("unix key", () -> unix.register(selector, OP_ACCEPT).isValid());
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // as programs without generics do
  private static void selectors() throws Exception {
    Selector selector = Selector.open();
    SocketChannel c = pair(false)[0];
    c.configureBlocking(false);
    SelectionKey key = c.register(selector, OP_WRITE);
    Set keys = selector.keys();
    Set selected = selector.selectedKeys();
    selector.selectNow();
    for (Set set : List.of(keys, selected)) {
      Probe.see("add", () -> set.add(key));
      Probe.see("add text", () -> set.add("text"));
      Probe.see("add null", () -> set.add(null));
      Probe.see("addAll", () -> set.addAll(List.of(key)));
      Probe.see("addAll of nothing", () -> set.addAll(List.of()));
      Probe.see("contains", () -> set.contains(key) + " " + set.contains("text"));
      Probe.see("contains null", () -> set.contains(null));
      Probe.see("remove text", () -> set.remove("text"));
      Probe.see("size", () -> set.size() + " " + set.isEmpty());
      Probe.see("array", () -> set.toArray().length);
      Probe.see("equals", () -> set.equals(Set.of(key)) + " " + (set.hashCode() == key.hashCode()));
      Probe.see(
          "iterator's remove too early",
          () -> {
            set.iterator().remove();
            return "removed";
          });
      Probe.see(
          "iterator's end",
          () -> {
            var i = set.iterator();
            i.next();
            return i.next();
          });
      Probe.see("removeIf", () -> set.removeIf(k -> false));
      Probe.see("retainAll", () -> set.retainAll(List.of(key)));
      Probe.see("removeAll", () -> set.removeAll(List.of("text")));
      Probe.see("remove", () -> set.remove(key));
      Probe.see("remove again", () -> set.remove(key));
      Probe.deed("clear", set::clear);
    }
    Probe.see("select(-1)", () -> selector.select(-1));
    Probe.see("select(action, -1)", () -> selector.select(k -> {}, -1));
    Probe.see("select(null)", () -> selector.select(null));
    Probe.see("select(null, 1)", () -> selector.select(null, 1));
    Probe.see("selectNow(null)", () -> selector.selectNow(null));
    Probe.see(
        "select in an action",
        () -> selector.select(k -> Probe.see("  within", () -> selector.selectNow())));
    Probe.see(
        "an action that throws",
        () ->
            selector.select(k -> {
              throw new IllegalArgumentException("by the action");
            }));
    Probe.see("a cancelling action", () -> selector.select(SelectionKey::cancel));
    Probe.see("after it", () -> selector.keys().size());
    Probe.see(
        "interrupted",
        () -> {
          Thread.currentThread().interrupt();
          return selector.select() + " " + selector.isOpen() + " " + Thread.interrupted();
        });
    Probe.see("woken", () -> selector.wakeup().select());
    Probe.see(
        "provider", () -> selector.provider() == java.nio.channels.spi.SelectorProvider.provider());
    Probe.see(
        "closing action",
        () -> {
          SocketChannel d = pair(false)[0];
          d.configureBlocking(false);
          d.register(selector, OP_WRITE);
          return selector.select(k -> {
            try {
              selector.close();
            } catch (java.io.IOException e) {
              throw new java.io.UncheckedIOException(e);
            }
          });
        });
    Probe.see("closed, open", selector::isOpen);
    Probe.see("closed, keys", selector::keys);
    Probe.see("closed, selected", selector::selectedKeys);
    Probe.see("closed, select", selector::select);
    Probe.see("closed, selectNow", selector::selectNow);
    Probe.see("closed, select(1)", () -> selector.select(1));
    Probe.see("closed, select(-1)", () -> selector.select(-1));
    Probe.see("closed, select(action)", () -> selector.select(k -> {}));
    Probe.see("closed, wakeup", () -> selector.wakeup() == selector);
    Probe.deed("closed, close", selector::close);
    Probe.see("closed, key", key::isValid);
    Probe.see(
        "streams of channels",
        () -> {
          SocketChannel[] pair = pair(false);
          Channels.newOutputStream(pair[0]).write(new byte[3]);
          pair[0].close();
          return Channels.newInputStream(pair[1]).readAllBytes().length;
        });
  }
}
