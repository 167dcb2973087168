package org.slipstream.it.programs;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;

/** A foreign agent: it looks at every class, and may use sockets before any other code does. */
public final class OtherAgent {
  private OtherAgent() {}

  /** Called by the JVM before {@code main}. */
  public static void premain(String argument, Instrumentation instrumentation) throws Exception {
    instrumentation.addTransformer(new ClassFileTransformer() {});
    try (ServerSocket listener = new ServerSocket(0);
        Socket client = new Socket("127.0.0.1", listener.getLocalPort());
        Socket server = listener.accept()) {
      client.getOutputStream().write(1);
      if (server.getInputStream().read() != 1) {
        throw new SocketException("the other agent can not use sockets");
      }
    }
  }
}
