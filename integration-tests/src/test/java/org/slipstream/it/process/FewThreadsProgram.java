package org.slipstream.it.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Talks to itself over sockets and channels, and starts no thread. */
public final class FewThreadsProgram {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  /** Longer than streams are held before they are offered, a millisecond each. */
  private static final int EXCHANGES = 50;

  private FewThreadsProgram() {}

  /**
   * Says that it has come to its end.
   *
   * @param args none
   * @throws Exception if an answer is wrong
   */
  public static void main(String[] args) throws Exception {
    for (int i = 0; i < 2; i++) {
      overSockets();
      overChannels();
    }
    System.out.println("done");
  }

  private static void overSockets() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, ANY.getAddress());
        Socket here = new Socket(ANY.getAddress(), listener.getLocalPort());
        Socket there = listener.accept()) {
      for (int i = 0; i < EXCHANGES; i++) {
        here.getOutputStream().write(i);
        check(there.getInputStream().read() == i);
        there.getOutputStream().write(i);
        check(here.getInputStream().read() == i);
        Thread.sleep(1);
      }
      here.shutdownOutput();
      check(there.getInputStream().read() == -1);
    }
  }

  private static void overChannels() throws Exception {
    try (ServerSocketChannel listener = ServerSocketChannel.open().bind(ANY);
        SocketChannel here = SocketChannel.open(listener.getLocalAddress());
        SocketChannel there = listener.accept()) {
      for (int i = 0; i < EXCHANGES; i++) {
        here.write(ByteBuffer.wrap(new byte[] {(byte) i}));
        check(read(there) == i);
        there.write(ByteBuffer.wrap(new byte[] {(byte) i}));
        check(read(here) == i);
        Thread.sleep(1);
      }
      here.shutdownOutput();
      check(read(there) == -1);
    }
  }

  private static int read(SocketChannel from) throws IOException {
    ByteBuffer one = ByteBuffer.allocate(1);
    return from.read(one) < 0 ? -1 : one.get(0);
  }

  private static void check(boolean right) {
    if (!right) {
      throw new IllegalStateException("a wrong answer");
    }
  }
}
