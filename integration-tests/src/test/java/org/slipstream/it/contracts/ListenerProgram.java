package org.slipstream.it.contracts;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;

import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;

/** {@code ServerSocketChannel} and its adaptor: each method in each state. */
public final class ListenerProgram {
  private ListenerProgram() {}

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    listeners(true);
    listeners(false);
    System.exit(0); // whatever is left open
  }

  private static void listeners(boolean blocking) throws Exception {
    for (int state = 0; state < 3; state++) {
      String name = List.of("new", "bound", "closed").get(state) + " listener";
      for (int i = 0; i < questions(ServerSocketChannel.open()).size(); i++) {
        ServerSocketChannel c = ServerSocketChannel.open();
        c.configureBlocking(blocking);
        if (state > 0) {
          c.bind(new InetSocketAddress(Pairs.HERE, 0));
        }
        if (state > 1) {
          c.close();
        }
        questions(c).ask(i, name);
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

  private static Questions questions(ServerSocketChannel c) {
    ServerSocket s = c.socket();
    Questions all = new Questions();
    all.add("bind(null)", () -> c.bind(null));
    all.add("bind(null, -1)", () -> c.bind(null, -1));
    all.add("bind(unix)", () -> c.bind(UnixDomainSocketAddress.of("/nowhere")));
    all.add("bind(unresolved)", () -> c.bind(InetSocketAddress.createUnresolved("x.invalid", 0)));
    all.add(
        "bind(taken)",
        () -> {
          try (ServerSocket taken = new ServerSocket(0, 1, Pairs.HERE)) {
            c.bind(taken.getLocalSocketAddress());
          }
        });
    all.see(
        "accept if that does not block",
        () -> {
          c.configureBlocking(false);
          return c.accept();
        });
    all.see(
        "accept",
        () -> {
          try (SocketChannel client = SocketChannel.open(c.getLocalAddress());
              SocketChannel accepted = c.accept()) {
            return accepted.isBlocking()
                + " "
                + accepted.getRemoteAddress().equals(client.getLocalAddress());
          }
        });
    all.see(
        "interrupted accept",
        () ->
            ChannelProgram.interrupted(() -> {
              SocketChannel client = SocketChannel.open(c.getLocalAddress());
              return c.accept() + " " + client;
            }));
    all.see("getLocalAddress", c::getLocalAddress);
    all.see("toString", () -> Pairs.text(c));
    all.see("validOps", c::validOps);
    for (int ops : new int[] {0, OP_READ, OP_ACCEPT}) {
      all.see(
          "register " + ops,
          () -> {
            try (Selector selector = Selector.open()) {
              SelectionKey key = c.register(selector, ops);
              return selector.selectNow() + " " + key.readyOps();
            }
          });
    }
    all.see(
        "accept none",
        () -> {
          s.setSoTimeout(20);
          return s.accept();
        });
    all.see(
        "adaptor's accept",
        () -> {
          try (Socket client = new Socket(Pairs.HERE, s.getLocalPort());
              Socket accepted = s.accept()) {
            return accepted.isConnected()
                + " "
                + (accepted.getChannel() != null)
                + client.isBound();
          }
        });
    all.add("adaptor's bind(null)", () -> s.bind(null));
    all.add("adaptor's bind(unix)", () -> s.bind(UnixDomainSocketAddress.of("/nowhere")));
    all.add(
        "adaptor's bind(unresolved)",
        () -> s.bind(InetSocketAddress.createUnresolved("x.invalid", 0)));
    all.see(
        "adaptor's addresses",
        () -> s.getInetAddress() + " " + (s.getLocalPort() > 0) + " " + s.getLocalSocketAddress());
    all.see("adaptor's text", s::toString);
    all.see("adaptor's channel", () -> Probe.same(s.getChannel(), c));
    for (int value : new int[] {-1, 0, 70_000}) {
      all.see(
          "adaptor's SO_TIMEOUT " + value,
          () -> {
            s.setSoTimeout(value);
            return s.getSoTimeout();
          });
      all.see(
          "adaptor's SO_RCVBUF " + value,
          () -> {
            s.setReceiveBufferSize(value);
            return s.getReceiveBufferSize() > 0;
          });
    }
    all.see(
        "adaptor's reuse",
        () -> {
          s.setReuseAddress(false);
          return s.getReuseAddress();
        });
    all.see("adaptor's options", () -> AdaptorProgram.names(s.supportedOptions()));
    all.add("adaptor's close", s::close);
    all.add("adaptor's performance", () -> s.setPerformancePreferences(1, 2, 3));
    return all;
  }
}
