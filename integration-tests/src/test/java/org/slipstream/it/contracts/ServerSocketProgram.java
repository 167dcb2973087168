package org.slipstream.it.contracts;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnixDomainSocketAddress;
import java.util.List;

/** {@code ServerSocket}: each method in each state. */
public final class ServerSocketProgram {
  private ServerSocketProgram() {}

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    Probe.see("ServerSocket(port too large)", () -> new ServerSocket(70_000));
    Probe.see("ServerSocket(-1)", () -> new ServerSocket(-1));
    Probe.see(
        "ServerSocket(not ours)", () -> new ServerSocket(0, 1, InetAddress.getByName("192.0.2.1")));
    try (ServerSocket taken = new ServerSocket(0, 1, Pairs.HERE)) {
      Probe.see("ServerSocket(taken)", () -> new ServerSocket(taken.getLocalPort(), 1, Pairs.HERE));
      Probe.deed("bind(taken)", () -> new ServerSocket().bind(taken.getLocalSocketAddress()));
      ServerSocket again = new ServerSocket();
      Probe.deed("bind(taken)", () -> again.bind(taken.getLocalSocketAddress()));
      Probe.see("  then", () -> describe(again));
      Probe.deed("bind(free)", () -> again.bind(new InetSocketAddress(Pairs.HERE, 0)));
      Probe.see("  then", () -> describe(again));
    }
    for (int state = 0; state < 3; state++) {
      for (int i = 0; i < questions(new ServerSocket()).size(); i++) {
        ServerSocket s = new ServerSocket();
        if (state > 0) {
          s.bind(new InetSocketAddress(Pairs.HERE, 0), state == 1 ? -1 : 5);
        }
        if (state > 1) {
          s.close();
        }
        String name = List.of("new", "bound", "closed").get(state);
        questions(s).ask(i, "ServerSocket " + name);
        Probe.see("  then", () -> describe(s));
        s.close();
      }
    }
    System.exit(0); // whatever is left open
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

  private static Questions questions(ServerSocket s) {
    Questions all = new Questions();
    all.add("bind(null)", () -> s.bind(null));
    all.add("bind(unix)", () -> s.bind(UnixDomainSocketAddress.of("/nowhere")));
    all.add("bind(unresolved)", () -> s.bind(InetSocketAddress.createUnresolved("x.invalid", 0)));
    all.add(
        "accept with timeout",
        () -> {
          s.setSoTimeout(20);
          s.accept();
        });
    all.see(
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
    all.add(
        "accept of a closed one",
        () -> {
          s.close();
          s.accept();
        });
    all.see("getChannel", () -> s.getChannel());
    all.see("toString", () -> s.toString());
    all.see("supportedOptions", () -> s.supportedOptions().size());
    all.add("close", () -> s.close());
    for (int value : new int[] {-1, 0, 1, 70_000}) {
      all.see(
          "SO_TIMEOUT " + value,
          () -> {
            s.setSoTimeout(value);
            return s.getSoTimeout();
          });
      all.see(
          "SO_RCVBUF " + value,
          () -> {
            s.setReceiveBufferSize(value);
            return s.getReceiveBufferSize() > 0;
          });
    }
    all.see(
        "reuse",
        () -> {
          s.setReuseAddress(false);
          return s.getReuseAddress();
        });
    all.add("setPerformancePreferences", () -> s.setPerformancePreferences(1, 2, 3));
    return all;
  }
}
