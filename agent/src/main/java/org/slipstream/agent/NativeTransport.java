package org.slipstream.agent;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A transport of Netty that opens its sockets in native code, under Netty's own name or one that a
 * library gave its copy.
 *
 * @param kind epoll, io_uring or kqueue
 * @param netty the package of that copy of Netty, {@code io.netty}
 */
record NativeTransport(String kind, String netty) {
  /** Loaded when a program takes the transport, and not when it asks whether there is one. */
  private static final Pattern CHANNEL =
      Pattern.compile(
          "((?:\\w+\\.)*\\w*netty\\w*)(?:\\.incubator)?\\.channel\\.(?:epoll\\.Epoll|uring\\.I[Oo]Uring"
              + "|kqueue\\.KQueue)(?:Server)?SocketChannel");

  /** The ending that all of those have: quick to ask of some ten thousand names. */
  static final String ENDING = "SocketChannel";

  /** The transport of a class; null if it is none. */
  static @Nullable NativeTransport ofClass(String name) {
    Matcher m = CHANNEL.matcher(name);
    if (!m.matches()) {
      return null;
    }
    String kind =
        name.contains(".epoll.") ? "epoll" : name.contains(".uring.") ? "io_uring" : "kqueue";
    return new NativeTransport(kind, m.group(1));
  }

  /** For the operator. */
  String name() {
    return "Netty's " + kind + (netty.equals("io.netty") ? "" : " (" + netty + ")");
  }

  /** What makes that copy of Netty take NIO, where the library on top of it can. */
  String advice() {
    return "-D" + netty + ".transport.noNative=true makes libraries take NIO that can";
  }
}
