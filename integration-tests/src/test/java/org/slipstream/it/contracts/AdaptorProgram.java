package org.slipstream.it.contracts;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.util.Set;
import java.util.TreeSet;

/** {@code SocketChannel.socket()}: each method in each state. */
public final class AdaptorProgram {
  private AdaptorProgram() {}

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    for (boolean blocking : new boolean[] {true, false}) {
      for (int i = 0; i < questions(new Socket()).size(); i++) {
        for (ChannelStates.State state : ChannelStates.states(blocking)) {
          questions(state.channel().socket()).ask(i, state.name());
          Probe.see("  then", () -> ChannelStates.describe(state.channel()));
          state.channel().close();
        }
      }
    }
    System.exit(0); // whatever is left open
  }

  private static Questions questions(Socket s) {
    Questions all = new Questions();
    all.add("bind(null)", () -> s.bind(null));
    all.add("bind(unresolved)", () -> s.bind(InetSocketAddress.createUnresolved("x.invalid", 0)));
    all.add("bind(unix)", () -> s.bind(UnixDomainSocketAddress.of("/nowhere")));
    all.add("connect(null)", () -> s.connect(null));
    all.add("connect(-1)", () -> s.connect(new InetSocketAddress(Pairs.HERE, 1), -1));
    all.add("connect(unix)", () -> s.connect(UnixDomainSocketAddress.of("/nowhere")));
    all.add(
        "connect(unresolved)", () -> s.connect(InetSocketAddress.createUnresolved("x.invalid", 1)));
    all.add("connect(dead)", () -> s.connect(Pairs.dead()));
    all.add("connect(dead) in time", () -> s.connect(Pairs.dead(), 5_000));
    all.see(
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
    all.see("toString", s::toString);
    all.add("getInputStream", s::getInputStream);
    all.add("getOutputStream", s::getOutputStream);
    all.see(
        "read in time",
        () -> {
          s.setSoTimeout(20);
          return s.getInputStream().read();
        });
    all.see("read nothing", () -> s.getInputStream().read(new byte[2], 1, 0));
    all.see("read out of bounds", () -> s.getInputStream().read(new byte[2], 1, 2));
    all.see("available", () -> s.getInputStream().available());
    all.add("write", () -> s.getOutputStream().write(1));
    all.add("write nothing", () -> s.getOutputStream().write(new byte[2], 1, 0));
    all.add("write out of bounds", () -> s.getOutputStream().write(new byte[2], 1, 2));
    all.add("shutdownInput", s::shutdownInput);
    all.add(
        "shutdownInput twice",
        () -> {
          s.shutdownInput();
          s.shutdownInput();
        });
    all.add("shutdownOutput", s::shutdownOutput);
    all.add(
        "shutdownOutput twice",
        () -> {
          s.shutdownOutput();
          s.shutdownOutput();
        });
    all.add("sendUrgentData", () -> s.sendUrgentData(1));
    all.see("supportedOptions", () -> names(s.supportedOptions()));
    for (int value : new int[] {-1, 0, 1, 70_000}) {
      all.see(
          "SO_TIMEOUT " + value,
          () -> {
            s.setSoTimeout(value);
            return s.getSoTimeout();
          });
      all.see(
          "SO_LINGER " + value,
          () -> {
            s.setSoLinger(true, value);
            return s.getSoLinger();
          });
      all.see(
          "SO_RCVBUF " + value,
          () -> {
            s.setReceiveBufferSize(value);
            return s.getReceiveBufferSize() > 0;
          });
      all.see(
          "SO_SNDBUF " + value,
          () -> {
            s.setSendBufferSize(value);
            return s.getSendBufferSize() > 0;
          });
      all.see(
          "traffic class " + value,
          () -> {
            s.setTrafficClass(value);
            return s.getTrafficClass();
          });
    }
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
    all.add("setPerformancePreferences", () -> s.setPerformancePreferences(1, 2, 3));
    all.see("hash", () -> s.equals(s.getChannel().socket()));
    return all;
  }

  static Set<String> names(Set<java.net.SocketOption<?>> options) {
    return new TreeSet<>(options.stream().map(java.net.SocketOption::name).toList());
  }
}
