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
 * afterwards; and afterwards, if another agent has loaded them before, or if the program runs
 * already.
 *
 * <p>In a program that runs already there may be server sockets of the JDK's own implementation.
 * One whose class makes the accepted socket itself, as that of TLS does, would be given one of ours
 * from now on, and the JDK refuses to accept into that: so the accepted socket loses it again, and
 * the JDK makes one of its own.
 */
final class FactoryGuard implements ClassFileTransformer {
  private static final String SOCKET = "java/net/Socket";
  private static final String SERVER_SOCKET = "java/net/ServerSocket";
  private static final String RUNNABLE = "java/lang/Runnable";
  private static final String FACTORY_TYPE = "Ljava/net/SocketImplFactory;";

  private static final String IMPLEMENTATION = "java/net/SocketImpl";
  private static final String PLATFORM = "sun/net/PlatformSocketImpl";
  private static final String DELEGATING = "java/net/DelegatingSocketImpl";

  /** Whether the program runs already. */
  private final boolean late;

  /** The thread that starts the JVM, or that loads agents. */
  private boolean socketGuarded;

  /** The same. */
  private boolean serverSocketGuarded;

  private FactoryGuard(boolean late) {
    this.late = late;
  }

  /** Before the program runs. */
  static void install(Instrumentation instrumentation) throws UnmodifiableClassException {
    install(instrumentation, new FactoryGuard(false));
  }

  /** While it runs. */
  static void installLate(Instrumentation instrumentation) throws UnmodifiableClassException {
    install(instrumentation, new FactoryGuard(true));
  }

  private static void install(Instrumentation instrumentation, FactoryGuard guard)
      throws UnmodifiableClassException {
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
      byte[] guarded = guarded(bytes, SERVER_SOCKET, "setSocketFactory");
      return late && guarded != null ? accepting(guarded) : guarded;
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

  /** "If we are the JDK's own, and the socket to accept into is not, it has none." */
  static byte @Nullable [] accepting(byte[] bytes) {
    String impl = "()L" + IMPLEMENTATION + ";";
    return new Prologue(bytes)
        .local(Op.ALOAD, 0)
        .field(Op.GETFIELD, SERVER_SOCKET, "impl", "L" + IMPLEMENTATION + ";")
        .type(Op.INSTANCEOF, PLATFORM)
        .jumpToMethod(Op.IFEQ)
        .local(Op.ALOAD, 1)
        .call(SOCKET, "impl", impl)
        .type(Op.INSTANCEOF, PLATFORM)
        .jumpToMethod(Op.IFNE)
        .local(Op.ALOAD, 1)
        .call(SOCKET, "impl", impl)
        .type(Op.INSTANCEOF, DELEGATING)
        .jumpToMethod(Op.IFNE)
        .local(Op.ALOAD, 1)
        .op(Op.ACONST_NULL)
        .call(SOCKET, "setImpl", "(L" + IMPLEMENTATION + ";)V")
        .before("implAccept", "(Ljava/net/Socket;)V", 2);
  }
}
