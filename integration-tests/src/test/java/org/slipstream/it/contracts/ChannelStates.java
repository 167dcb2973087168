package org.slipstream.it.contracts;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** {@code SocketChannel}s in all their states. */
final class ChannelStates {
  private ChannelStates() {}

  /** A channel in some state. */
  record State(String name, SocketChannel channel) {}

  static List<State> states(boolean blocking) throws Exception {
    List<State> states = new ArrayList<>();
    states.add(new State("new", SocketChannel.open()));
    states.add(new State("bound", SocketChannel.open().bind(new InetSocketAddress(Pairs.HERE, 0))));
    for (boolean talked : new boolean[] {false, true}) {
      String prefix = talked ? "talked, " : "fresh, ";
      states.add(new State(prefix + "client", Pairs.channels(talked)[0]));
      states.add(new State(prefix + "server", Pairs.channels(talked)[1]));
      states.add(new State(prefix + "input shut", Pairs.channels(talked)[0].shutdownInput()));
      states.add(new State(prefix + "output shut", Pairs.channels(talked)[0].shutdownOutput()));
      SocketChannel[] ended = Pairs.channels(talked);
      ended[1].close();
      states.add(new State(prefix + "peer closed", ended[0]));
    }
    for (State state : states) {
      state.channel().configureBlocking(blocking);
    }
    SocketChannel closed = Pairs.channels(false)[0];
    closed.close();
    states.add(new State("closed", closed));
    return states;
  }

  static String describe(SocketChannel c) {
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
}
