package org.slipstream.agent;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.ProtectionDomain;
import org.jspecify.annotations.Nullable;

/**
 * Lets a program set socket factories of its own although ours are installed: before the JDK
 * refuses, ours step aside. Puts one instruction sequence at the beginning of two methods of {@code
 * java.net}: "if the factory can be run, run it". Ours can ({@link
 * org.slipstream.provider.net.SlipstreamSocketFactory#run}).
 *
 * <p>The classes are changed while they are loaded, which costs less than to change them
 * afterwards; and afterwards, if another agent has loaded them before.
 */
final class FactoryGuard implements ClassFileTransformer {
  private static final String SOCKET = "java/net/Socket";
  private static final String SERVER_SOCKET = "java/net/ServerSocket";
  private static final String RUNNABLE = "java/lang/Runnable";
  private static final String FACTORY_TYPE = "Ljava/net/SocketImplFactory;";

  /** The thread that starts the JVM. */
  private boolean socketGuarded;

  /** The same. */
  private boolean serverSocketGuarded;

  private FactoryGuard() {}

  static void install(Instrumentation instrumentation) throws UnmodifiableClassException {
    FactoryGuard guard = new FactoryGuard();
    instrumentation.addTransformer(guard, true);
    try {
      Class<?> socket = Socket.class;
      Class<?> serverSocket = ServerSocket.class;
      if (!guard.socketGuarded) {
        instrumentation.retransformClasses(socket);
      }
      if (!guard.serverSocketGuarded) {
        instrumentation.retransformClasses(serverSocket);
      }
    } finally {
      instrumentation.removeTransformer(guard);
    }
  }

  @Override
  public byte @Nullable [] transform(
      @Nullable ClassLoader loader,
      @Nullable String name,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] bytes) {
    if (loader != null || name == null) {
      return null;
    }
    if (name.equals(SOCKET)) {
      socketGuarded = true;
      return guarded(bytes, SOCKET, "setSocketImplFactory");
    }
    if (name.equals(SERVER_SOCKET)) {
      serverSocketGuarded = true;
      return guarded(bytes, SERVER_SOCKET, "setSocketFactory");
    }
    return null;
  }

  /** What runs the factory before the setter looks at it. */
  static byte @Nullable [] guarded(byte[] bytes, String owner, String setter) {
    return new Prologue(bytes)
        .field(Op.GETSTATIC, owner, "factory", FACTORY_TYPE)
        .type(Op.INSTANCEOF, RUNNABLE)
        .jumpToMethod(Op.IFEQ)
        .field(Op.GETSTATIC, owner, "factory", FACTORY_TYPE)
        .type(Op.CHECKCAST, RUNNABLE)
        .callInterface(RUNNABLE, "run", "()V")
        .before(setter, null, 1);
  }
}
