package org.slipstream.agent;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slipstream.provider.async.SlipstreamAsynchronousChannelProvider;
import org.slipstream.provider.net.SocketFactories;
import org.slipstream.provider.nio.Installation;
import org.slipstream.provider.nio.JdkAccess;
import org.slipstream.provider.nio.SlipstreamSelectorProvider;

/**
 * {@code -javaagent:slipstream.jar}: one flag that switches Slipstream on. It opens the JDK's own
 * socket packages to us alone ({@link JdkGate}; a documented use of {@link
 * Instrumentation#redefineModule}) and names our providers and socket factories. Two setters of
 * {@code java.net} are transformed, so that the program's own factories go before ours ({@link
 * FactoryGuard}).
 *
 * <p>Whatever fails leaves the program on plain sockets, with one line on standard error.
 */
public final class SlipstreamAgent {
  private static final String PROVIDER_PROPERTY = "java.nio.channels.spi.SelectorProvider";
  private static final String ASYNCHRONOUS_PROPERTY =
      "java.nio.channels.spi.AsynchronousChannelProvider";
  private static final String ENABLED_PROPERTY = "slipstream.enabled";

  private SlipstreamAgent() {}

  /**
   * Called by the JVM before {@code main}.
   *
   * @param arguments {@code key=value} pairs, comma-separated; each sets {@code slipstream.key}
   *     unless the property is set already
   * @param instrumentation opens the package
   */
  public static void premain(@Nullable String arguments, Instrumentation instrumentation) {
    try {
      applyArguments(arguments);
      if ("false".equals(System.getProperty(ENABLED_PROPERTY))) {
        return;
      }
      openJdkSockets(instrumentation);
      String ours = SlipstreamSelectorProvider.class.getName();
      String configured = System.getProperty(PROVIDER_PROPERTY);
      if (configured == null) {
        System.setProperty(PROVIDER_PROPERTY, ours);
      } else if (!configured.equals(ours)) {
        off("the program uses the provider " + configured);
      }
      if (System.getProperty(ASYNCHRONOUS_PROPERTY) == null) {
        System.setProperty(
            ASYNCHRONOUS_PROPERTY, SlipstreamAsynchronousChannelProvider.class.getName());
      }
      SocketFactories.install();
      FactoryGuard.install(instrumentation);
    } catch (IOException | UnmodifiableClassException | RuntimeException | LinkageError e) {
      off(String.valueOf(e.getMessage()));
    }
  }

  private static void applyArguments(@Nullable String arguments) {
    if (arguments == null || arguments.isBlank()) {
      return;
    }
    for (String pair : arguments.split(",", -1)) {
      int equals = pair.indexOf('=');
      if (equals <= 0) {
        throw new IllegalArgumentException("agent argument '" + pair + "' is not key=value");
      }
      String key = "slipstream." + pair.substring(0, equals).strip();
      if (System.getProperty(key) == null) {
        System.setProperty(key, pair.substring(equals + 1).strip());
      }
    }
  }

  private static void openJdkSockets(Instrumentation instrumentation) throws IOException {
    Function<Class<?>, MethodHandles.Lookup> gate = JdkGate.load();
    Set<Module> us = Set.of(gate.getClass().getModule());
    instrumentation.redefineModule(
        Object.class.getModule(),
        Set.of(),
        Map.of(),
        Map.of(Installation.jdkPackage(), us, "java.net", us),
        Set.of(),
        Map.of());
    JdkAccess.through(gate);
  }

  private static void off(String why) {
    System.err.println("Slipstream is off, sockets stay plain TCP: " + why);
  }
}
