package org.slipstream.provider.older;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.net.ProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The JDK's own channels and selectors, on any Java from 8 on; one line says why. */
public final class JdkChannels implements OpenedChannels {
  private static final String PACKAGE = "sun.nio.ch.";

  private final SelectorProvider jdk;

  /**
   * Finds the JDK's provider, and says why it is taken, unless Slipstream is switched off.
   *
   * @throws IllegalStateException the JDK's own provider can not be reached
   */
  public JdkChannels() {
    if (!"false".equals(System.getProperty("slipstream.enabled"))) {
      RunningJava.sayThatConnectionsStayOnTcp();
    }
    jdk = find();
  }

  /**
   * A second instance of the JDK's provider class, which has no instance fields. That needs neither
   * access to the package, which Java 17 and newer refuse, nor the warning about it of Java 9 to
   * 15.
   */
  private static SelectorProvider find() {
    String system = System.getProperty("os.name", "");
    String[] names =
        system.startsWith("Windows")
            ? new String[] {"WEPollSelectorProvider", "WindowsSelectorProvider"} // new, old
            : new String[] {
              system.startsWith("Mac") ? "KQueueSelectorProvider" : "EPollSelectorProvider"
            };
    ReflectiveOperationException failure = null;
    for (String name : names) {
      try {
        return (SelectorProvider) allocate(Class.forName(PACKAGE + name));
      } catch (ReflectiveOperationException e) {
        failure = e;
      }
    }
    throw new IllegalStateException(
        "the JDK's own socket provider can not be reached; take the property"
            + " java.nio.channels.spi.SelectorProvider away",
        failure);
  }

  private static Object allocate(Class<?> type) throws ReflectiveOperationException {
    Class<?> unsafeClass = Class.forName("sun.misc.Unsafe");
    Field unsafe = unsafeClass.getDeclaredField("theUnsafe");
    unsafe.setAccessible(true);
    Object made =
        unsafeClass
            .getMethod("allocateInstance", Class.class)
            .invoke(unsafe.get(null), (Object) type);
    if (made == null) {
      throw new ReflectiveOperationException("no instance of " + type);
    }
    return made;
  }

  @Override
  public DatagramChannel openDatagramChannel() throws IOException {
    return jdk.openDatagramChannel();
  }

  @Override
  public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
    return jdk.openDatagramChannel(family);
  }

  @Override
  public Pipe openPipe() throws IOException {
    return jdk.openPipe();
  }

  @Override
  public AbstractSelector openSelector() throws IOException {
    return jdk.openSelector();
  }

  @Override
  public ServerSocketChannel openServerSocketChannel() throws IOException {
    return jdk.openServerSocketChannel();
  }

  @Override
  public SocketChannel openSocketChannel() throws IOException {
    return jdk.openSocketChannel();
  }

  @Override
  public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
    return (ServerSocketChannel) open("openServerSocketChannel", family);
  }

  @Override
  public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
    return (SocketChannel) open("openSocketChannel", family);
  }

  /** Java 8, for which this is compiled, does not have the method: its caller has Java 15. */
  private Object open(String method, ProtocolFamily family) throws IOException {
    try {
      return Objects.requireNonNull(
          SelectorProvider.class.getMethod(method, ProtocolFamily.class).invoke(jdk, family));
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      if (cause instanceof IOException) {
        throw (IOException) cause;
      }
      if (cause instanceof RuntimeException) {
        throw (RuntimeException) cause;
      }
      throw new IOException(cause);
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedOperationException(e);
    }
  }

  @Override
  public @Nullable Channel inheritedChannel() throws IOException {
    return jdk.inheritedChannel();
  }
}
