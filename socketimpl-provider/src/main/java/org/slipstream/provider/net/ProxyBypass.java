package org.slipstream.provider.net;

import java.net.Socket;

/**
 * Whether a program wants no proxy for a socket, whatever the selector says. {@code new
 * Socket(Proxy.NO_PROXY)} asks the factory as every other constructor does, and passes nothing; but
 * only that one calls it directly, the others through a method of their own. So the stack tells.
 *
 * <p>It is taken when the socket is made, and read where there is a proxy to bypass, which is rare.
 * A {@link StackWalker} would do both at once, but begins with milliseconds of class loading in the
 * first socket of a program. With {@code -XX:-StackTraceInThrowable} no socket bypasses a proxy.
 */
final class ProxyBypass {
  private static final String OURS = ProxyBypass.class.getPackageName();

  /** Holds what is on the stack: not to be kept for longer than until the socket is connected. */
  private final Throwable made = new Throwable();

  /** Walks the stack. */
  boolean isWanted() {
    for (StackTraceElement frame : made.getStackTrace()) {
      if (!frame.getClassName().startsWith(OURS)) {
        return frame.getClassName().equals(Socket.class.getName())
            && frame.getMethodName().equals("<init>");
      }
    }
    return false;
  }
}
