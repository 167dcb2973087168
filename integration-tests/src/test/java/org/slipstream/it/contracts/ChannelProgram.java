package org.slipstream.it.contracts;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** {@code SocketChannel}: each method in each state. */
public final class ChannelProgram {

  private ChannelProgram() {}

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    for (boolean blocking : new boolean[] {true, false}) {
      for (int i = 0; i < questions(SocketChannel.open()).size(); i++) {
        for (ChannelStates.State state : ChannelStates.states(blocking)) {
          questions(state.channel()).ask(i, state.name());
          Probe.see("  then", () -> ChannelStates.describe(state.channel()));
          state.channel().close();
        }
      }
    }
    System.exit(0); // whatever is left open
  }

  private static Questions questions(SocketChannel c) {
    InetSocketAddress unresolved = InetSocketAddress.createUnresolved("x.invalid", 1);
    Questions all = new Questions();
    all.add("bind(null)", () -> c.bind(null));
    all.add("bind(unresolved)", () -> c.bind(unresolved));
    all.add("bind(unix)", () -> c.bind(UnixDomainSocketAddress.of("/nowhere")));
    all.add("bind(not ours)", () -> c.bind(new InetSocketAddress("192.0.2.1", 0)));
    all.add("connect(null)", () -> c.connect(Pairs.nothing()));
    all.add("connect(unresolved)", () -> c.connect(unresolved));
    all.add("connect(unix)", () -> c.connect(UnixDomainSocketAddress.of("/nowhere")));
    all.see("connect(multicast)", () -> c.connect(new InetSocketAddress("224.0.0.1", 9)));
    all.see(
        "connect(dead)",
        () -> {
          boolean done = c.connect(Pairs.dead());
          for (int i = 0; !done && i < 1_000; i++) {
            Thread.sleep(1);
            done = c.finishConnect();
          }
          return done;
        });
    all.see(
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
    all.see("finishConnect", c::finishConnect);
    all.see("getLocalAddress", c::getLocalAddress);
    all.see("getRemoteAddress", c::getRemoteAddress);
    all.see("toString", () -> Pairs.text(c));
    all.see("read nothing", () -> c.read(ByteBuffer.allocate(0)));
    all.see("read null", () -> c.read((ByteBuffer) Pairs.nothing()));
    all.see("read read-only", () -> c.read(ByteBuffer.allocate(1).asReadOnlyBuffer()));
    all.see("read no arrays", () -> c.read(new ByteBuffer[0]));
    all.see("read null arrays", () -> c.read((ByteBuffer[]) Pairs.nothing()));
    all.see("read empty arrays", () -> c.read(new ByteBuffer[] {ByteBuffer.allocate(0)}));
    all.see("read out of bounds", () -> c.read(new ByteBuffer[1], 1, 1));
    all.see("read array of null", () -> c.read(new ByteBuffer[1]));
    all.see(
        "read if that does not block",
        () -> {
          c.configureBlocking(false);
          Thread.sleep(30);
          return c.read(ByteBuffer.allocate(1));
        });
    all.see(
        "read arrays if that does not block",
        () -> {
          c.configureBlocking(false);
          Thread.sleep(30);
          return c.read(new ByteBuffer[] {ByteBuffer.allocate(1), ByteBuffer.allocate(1)});
        });
    all.see("write nothing", () -> c.write(ByteBuffer.allocate(0)));
    all.see("write null", () -> c.write((ByteBuffer) Pairs.nothing()));
    all.see("write one", () -> c.write(ByteBuffer.allocate(1)));
    all.see("write read-only", () -> c.write(ByteBuffer.allocate(1).asReadOnlyBuffer()));
    all.see("write no arrays", () -> c.write(new ByteBuffer[0]));
    all.see("write null arrays", () -> c.write((ByteBuffer[]) Pairs.nothing()));
    all.see("write empty arrays", () -> c.write(new ByteBuffer[] {ByteBuffer.allocate(0)}));
    all.see("write out of bounds", () -> c.write(new ByteBuffer[1], -1, 1));
    all.see("write array of null", () -> c.write(new ByteBuffer[1]));
    all.see(
        "write arrays",
        () -> c.write(new ByteBuffer[] {ByteBuffer.allocate(1), ByteBuffer.allocate(2)}));
    all.add("shutdownInput", c::shutdownInput);
    all.add("shutdownInput twice", () -> c.shutdownInput().shutdownInput());
    all.add("shutdownOutput", c::shutdownOutput);
    all.add("shutdownOutput twice", () -> c.shutdownOutput().shutdownOutput());
    all.add("shutdown both", () -> c.shutdownOutput().shutdownInput());
    all.see("interrupted read", () -> interrupted(() -> c.read(ByteBuffer.allocate(0))));
    all.see("interrupted write", () -> interrupted(() -> c.write(ByteBuffer.allocate(1))));
    all.see("interrupted connect", () -> interrupted(() -> c.connect(Pairs.dead())));
    all.see("interrupted shutdown", () -> interrupted(c::shutdownOutput));
    all.see("validOps", c::validOps);
    all.see("same adaptor", () -> Probe.same(c.socket(), c.socket()));
    all.see("adaptor's channel", () -> Probe.same(c.socket().getChannel(), c));
    all.add(
        "close twice",
        () -> {
          c.close();
          c.close();
        });
    all.add("close of the adaptor", () -> c.socket().close());
    all.see("configureBlocking", () -> Probe.same(c.configureBlocking(true), c));
    for (int ops : new int[] {0, OP_READ, OP_WRITE, OP_CONNECT, OP_ACCEPT, -1}) {
      all.see(
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
    all.see(
        "register with a closed selector",
        () -> {
          Selector selector = Selector.open();
          selector.close();
          return c.register(selector, 0);
        });
    all.see("register with none", () -> c.register(Pairs.nothing(), 0));
    all.see("keyFor none", () -> c.keyFor(Pairs.nothing()));
    all.see(
        "configureBlocking while registered",
        () -> {
          try (Selector selector = Selector.open()) {
            c.configureBlocking(false);
            SelectionKey key = c.register(selector, 0);
            String outcome = Probe.outcome(() -> Probe.same(c.configureBlocking(true), c));
            key.cancel();
            return outcome
                + ", cancelled: "
                + Probe.outcome(() -> Probe.same(c.configureBlocking(true), c));
          }
        });
    return all;
  }

  static String interrupted(Probe.Call call) {
    Thread.currentThread().interrupt();
    String outcome = Probe.outcome(call);
    return outcome + ", status " + Thread.interrupted();
  }
}
