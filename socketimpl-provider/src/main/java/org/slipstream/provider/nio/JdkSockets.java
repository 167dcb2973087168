package org.slipstream.provider.nio;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.net.SocketImpl;
import java.net.SocketImplFactory;
import org.slipstream.transport.Stability;

/** What our {@code java.net} adapter needs of the JDK's own. */
@Stability(Stability.Level.INTERNAL)
public final class JdkSockets {
  private static final String PLATFORM = DefaultProvider.PACKAGE + ".NioSocketImpl";
  private static final String THROUGH_PROXIES = "java.net.SocksSocketImpl";

  private JdkSockets() {}

  /**
   * Makes the JDK's own implementation of a socket.
   *
   * @param server whether it is to listen
   * @return not yet created
   */
  public static SocketImpl platform(boolean server) {
    return (SocketImpl) make(PLATFORM, MethodType.methodType(void.class, boolean.class), server);
  }

  /**
   * Makes the JDK's own implementation of a socket that asks the proxy selector.
   *
   * @return not yet created
   */
  public static SocketImpl platformThroughProxies() {
    return (SocketImpl)
        make(THROUGH_PROXIES, MethodType.methodType(void.class, SocketImpl.class), platform(false));
  }

  private static Object make(String name, MethodType constructor, Object argument) {
    try {
      Class<?> type = Class.forName(name);
      return JdkAccess.to(type).findConstructor(type, constructor).invoke(argument);
    } catch (Throwable e) {
      throw new IllegalStateException("the JDK's own socket can not be reached", e);
    }
  }

  /**
   * Takes back a socket factory, if it is one of the given type.
   *
   * @param owner {@code Socket} or {@code ServerSocket}
   * @param type the class of our factories
   * @throws IllegalAccessException if the agent has not opened {@code java.net} to us
   * @throws NoSuchFieldException in a JDK that keeps its factories elsewhere
   */
  public static void removeFactory(Class<?> owner, Class<? extends SocketImplFactory> type)
      throws IllegalAccessException, NoSuchFieldException {
    MethodHandles.Lookup lookup = JdkAccess.to(owner);
    VarHandle factory = lookup.findStaticVarHandle(owner, "factory", SocketImplFactory.class);
    if (type.isInstance(factory.getVolatile())) {
      factory.setVolatile((SocketImplFactory) null);
    }
  }
}
