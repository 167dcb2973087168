package org.slipstream.it.programs;

import java.io.IOException;
import java.net.ServerSocket;

/** What the programs say to the test on standard output, and when they end. */
final class Role {
  private Role() {}

  static void serving(int port) throws IOException {
    say("ready " + port);
  }

  /**
   * Says that all is well, and stays until its input ends, so that its streams can be looked at.
   */
  static void done(String what) throws IOException {
    say("done " + what);
  }

  private static void say(String line) throws IOException {
    System.out.println(line);
    System.out.flush();
    while (System.in.read() >= 0) {
      // The test ends the program by ending its input.
    }
    System.exit(0);
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
