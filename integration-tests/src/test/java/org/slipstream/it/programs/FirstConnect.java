package org.slipstream.it.programs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;

/**
 * Connects once, by a channel or a socket; the class that it loads behind that marks the moment.
 */
public final class FirstConnect {
  private FirstConnect() {}

  /** Loaded when the program is connected. */
  static final class Connected {
    private Connected() {}

    static void say() {
      System.out.println("connected now");
    }
  }

  public static void main(String[] args) throws Exception {
    InetSocketAddress server =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[1]));
    if (args[0].equals("channel")) {
      try (SocketChannel channel = SocketChannel.open(server)) {
        Connected.say();
      }
    } else {
      try (Socket socket = new Socket(server.getAddress(), server.getPort())) {
        Connected.say();
      }
    }
  }
}
