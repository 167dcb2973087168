package org.slipstream.agent.launch;

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

/**
 * What a Java older than Slipstream needs gets if the property {@code
 * java.nio.channels.spi.SelectorProvider} names Slipstream's provider: one line, and the JDK's own
 * channels and selectors.
 *
 * <p>The build gives this class the name of that provider in slipstream.jar, which is a
 * multi-release jar: Java 25 takes the class of the same name under {@code META-INF/versions/25}
 * (see the pom). A copy of the jar's classes that has lost {@code Multi-Release} from its manifest
 * has this class alone, on every Java.
 */
public final class OlderSelectorProvider extends SelectorProvider {
  private static final String PACKAGE = "sun.nio.ch.";

  private final SelectorProvider jdk;

  /**
   * Called by the JDK, once.
   *
   * @throws IllegalStateException the JDK's own provider can not be reached
   */
  public OlderSelectorProvider() {
    if (!"false".equals(System.getProperty("slipstream.enabled"))) {
      if (RunningJava.isTooOld()) {
        RunningJava.sayThatConnectionsStayOnTcp();
      } else {
        System.err.println(
            "slipstream: SL001: Slipstream is off, sockets stay plain TCP: its classes were copied"
                + " into a jar without 'Multi-Release: true' in its manifest");
      }
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

  /**
   * Called by Java 15 and newer, which know it as {@code SelectorProvider}'s; Java 8, for which
   * this is compiled, does not.
   *
   * @param family of protocols
   * @return a channel of the JDK
   * @throws IOException as the JDK's
   */
  public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
    return (ServerSocketChannel) open("openServerSocketChannel", family);
  }

  /**
   * Called by Java 15 and newer, as the one above.
   *
   * @param family of protocols
   * @return a channel of the JDK
   * @throws IOException as the JDK's
   */
  public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
    return (SocketChannel) open("openSocketChannel", family);
  }

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
